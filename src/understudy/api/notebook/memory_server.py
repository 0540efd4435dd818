"""The server of a study without a port: requests are handed to it in memory, so that it also works on remote notebooks."""

import asyncio
import secrets
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import httpx

from understudy.record.log import now_ms
from understudy.schema import Event
from understudy.serve import TOKEN_HEADER, Settings, close_app, create_app
from understudy.workflow.serving import built_front_end, served_from_folder

_PATIENCE_S = 60.0


class Asked(NamedTuple):
    """A request of a page."""

    method: str
    path: str
    headers: Mapping[str, str] = {}
    body: bytes = b""


class Reply(NamedTuple):
    """What the server answers."""

    status: int
    type: str
    content: bytes


class MemoryServer:
    """Serves one prepared study as a rehearsal, from a thread with a loop of its own.

    A kernel runs cells in a loop already, and a page's request arrives between two cells: it is answered elsewhere.
    """

    def __init__(self, folder: Path) -> None:
        """Open a prepared folder, which then holds the events of the rehearsal."""
        self._served = served_from_folder(folder)
        self._admin_token = secrets.token_urlsafe(24)
        self._app = create_app(
            [self._served],
            secret=secrets.token_bytes(32),
            admin_token=self._admin_token,
            clock=now_ms,
            settings=Settings(web=built_front_end(), is_rehearsal=True),
        )
        self._client = httpx.AsyncClient(transport=httpx.ASGITransport(self._app), base_url="http://notebook")
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    @property
    def study_name(self) -> str:
        """The name in links."""
        return self._served.name

    def ask(self, asked: Asked) -> Reply:
        """Answer one request."""
        request = self._client.request(asked.method, asked.path, headers=dict(asked.headers), content=asked.body)
        response = asyncio.run_coroutine_threadsafe(request, self._loop).result(_PATIENCE_S)
        return Reply(response.status_code, response.headers.get("content-type", ""), response.content)

    def as_admin(self) -> dict[str, str]:
        """Return the headers that let in a simulated person."""
        return {TOKEN_HEADER: self._admin_token}

    def events(self, session_id: str) -> tuple[Event, ...]:
        """Return what a session has produced so far."""
        return self._served.log.session(session_id)

    def close(self) -> None:
        """Stop serving; the folder can be removed."""
        if not self._thread.is_alive():
            return
        asyncio.run_coroutine_threadsafe(self._client.aclose(), self._loop).result(_PATIENCE_S)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
        close_app(self._app)
        self._served.log.close()
