"""How requests reach the fake platform: in this process, or over a real connection."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread

import httpx

from tests.fake_prolific.platform import TOKEN, Answer, FakeProlific
from understudy.recruiters.prolific_api import ProlificApi


class Lost(Exception):
    """No answer comes."""


def _answered(fake: FakeProlific, method: str, address: str, body: bytes, token: str) -> Answer:
    path = httpx.URL(address).path
    fault = fake.faults.next(method, path)
    if fault == "too_many":
        return Answer(429, {"error": "slow down"}, {"Retry-After": "1"})
    if fault == "lost_before":
        raise Lost
    if fault == "failed_before":
        return Answer(500, {"error": "internal"})
    if fault == "page_before":
        return Answer(200, "<html><body>Please sign in to this network.</body></html>")
    fake.on_request(method, path, "before")
    found = fake.answer(method, address, body, token)
    fake.on_request(method, path, "after")
    if fault == "lost_after":
        raise Lost
    return Answer(500, {"error": "internal"}) if fault == "failed_after" else found


def api_of(fake: FakeProlific, *, token: str = TOKEN) -> ProlificApi:
    """Return a client whose requests never leave this process and whose pauses take no time."""

    def handle(request: httpx.Request) -> httpx.Response:
        token_sent = request.headers.get("authorization", "")
        try:
            found = _answered(fake, request.method, str(request.url), request.content, token_sent)
        except Lost:
            raise httpx.ReadTimeout("no answer", request=request) from None
        content = b"" if found.body is None else json.dumps(found.body).encode()
        return httpx.Response(found.status, content=content, headers=found.headers)

    return ProlificApi(token, transport=httpx.MockTransport(handle), pause=lambda _: None)


@contextmanager
def served(fake: FakeProlific) -> Iterator[str]:
    """Serve the platform over HTTP until the end of the block, and yield its address."""
    lock = Lock()

    class Handler(BaseHTTPRequestHandler):
        def _handle(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", "0")))
            try:
                with lock:
                    found = _answered(fake, self.command, self.path, body, self.headers.get("authorization", ""))
            except Lost:
                self.close_connection = True
                return
            content = b"" if found.body is None else json.dumps(found.body).encode()
            self.send_response(found.status)
            for name, value in {**found.headers, "Content-Length": str(len(content))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        def log_request(self, code: object = "-", size: object = "-") -> None:
            """Say nothing."""

    for verb in ("GET", "POST", "PATCH", "DELETE"):
        setattr(Handler, f"do_{verb}", Handler._handle)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
