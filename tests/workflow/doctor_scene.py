"""What the doctor examines in tests: a server over https behind a proxy with faults, and servers with bad certificates."""

import socket
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import uvicorn
from starlette.types import Receive, Scope, Send

from tests.alert_receivers import Hook
from tests.certificates import Certificate
from tests.small_studies import consent, two_group_plain
from understudy.actions.doctor_site import Patient
from understudy.schema import Study
from understudy.serve.platform import PlatformNews
from understudy.serve.server import ServerState
from understudy.serve.settings import PlatformPerson


@dataclass
class Proxy:
    """What stands between people and the server, with the faults it may have."""

    app: Any = None
    says_https: bool = True
    says_address: bool = True
    believes_claims: bool = False
    loses: str = ""
    """A header that does not get through."""
    ahead_ms: int = 0
    status: int = 0
    """An answer of the proxy's own to everything."""
    post_status: int = 0
    """An answer of the proxy's own to everything that is sent."""
    drops: bytes = b""
    """A header that does not reach the server."""
    has_cache: bool = False
    kept: dict[str, list[Any]] = field(default_factory=dict)
    """What the cache has, by method."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        claimed = [value.decode() for name, value in scope["headers"] if name == b"x-forwarded-for"]
        address = claimed[0] if claimed and self.believes_claims else "198.51.100.9"
        headers = [pair for pair in scope["headers"] if pair[0] not in (b"x-forwarded-for", self.drops)]
        method, kept = scope["method"], []
        if self.has_cache and scope["path"] == "/api/connection" and method in self.kept:
            for message in self.kept[method]:
                await send(message)
            return
        if self.says_address:
            headers.append((b"x-forwarded-for", address.encode()))
        passed = {**scope, "headers": headers, "client": (address, 1), "scheme": "https" if self.says_https else "http"}

        async def send_on(message: Any) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [pair for pair in message["headers"] if pair[0].decode() != self.loses]
                message["status"] = self.status or (method == "POST" and self.post_status) or message["status"]
            kept.append(message)
            await send(message)

        await self.app(passed, receive, send_on)
        if scope["path"] == "/api/connection":
            self.kept[method] = kept


@dataclass(frozen=True)
class Scene:
    """A server behind a proxy, a run with a backup, and a receiver of alerts."""

    proxy: Proxy
    patient: Patient
    hook: Hook


def study_with(**fields: str) -> Study:
    page = consent()
    page["task"]["params"].update(fields)
    plain = two_group_plain()
    plain["flow"][0] = page
    return Study.model_validate(plain)


class Prolific:
    """A platform that sends messages and knows nobody."""

    webhook_secret = "signs its messages"

    def person(self, _submission_id: str) -> None:
        return None

    def people(self) -> list[PlatformPerson]:
        return []

    def pause(self) -> None:
        """Do nothing: nobody comes from here."""


def with_platform(server_state: ServerState) -> None:
    (running,) = server_state.studies.values()
    server_state.news[running.name] = PlatformNews(
        running, Prolific(), server_state.keyring, seconds=time.monotonic, poll_s=1e6
    )


@contextmanager
def over_tls(app: Any, certificate: Certificate | None) -> Iterator[str]:
    """Serve an app in a thread, over https, or in the clear without a certificate."""
    chain, key = (str(certificate.chain), str(certificate.key)) if certificate else (None, None)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        config = uvicorn.Config(
            app, log_level="critical", lifespan="off", ssl_certfile=chain, ssl_keyfile=key, proxy_headers=False
        )
        running = uvicorn.Server(config)
        thread = threading.Thread(target=running.run, args=([listening],))
        thread.start()
        while not running.started:
            time.sleep(0.005)
        yield f"http{'s' if certificate else ''}://localhost:{port}"
        running.should_exit = True
        thread.join()


@contextmanager
def talking_http(certificate: Certificate | None = None, *, hangs_up: bool = False) -> Iterator[int]:
    """Answer everything with a page, in the clear or with a certificate, or hang up."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if hangs_up:
                return
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    class Quiet(ThreadingHTTPServer):
        def handle_error(self, *_: Any) -> None:
            """A client that refuses the certificate hangs up; that is the point."""

    with Quiet(("localhost", 0), Handler) as listening:
        if certificate is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate.chain, certificate.key)
            listening.socket = context.wrap_socket(listening.socket, server_side=True)
        thread = threading.Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield int(listening.server_address[1])
        listening.shutdown()
        thread.join()
