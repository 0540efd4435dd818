"""A local server of one run, for the duration of a rehearsal."""

import secrets
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import NamedTuple

import uvicorn
from starlette.applications import Starlette

from understudy.errors import UnderstudyError
from understudy.record import Log
from understudy.record.log import now_ms
from understudy.serve import Settings, create_app
from understudy.serve.synthetic_routes import TOKEN_HEADER
from understudy.workflow.runs.run_folder import Run
from understudy.workflow.serving import built_front_end, served_from_folder


class LocalServer(NamedTuple):
    """The addresses of a served study, the headers that admit simulated people, and the log."""

    study: str
    """The address of the participant's page."""
    api: str
    door: dict[str, str]
    """The headers that admit simulated people; pages never see them."""
    log: Log


@contextmanager
def local_server(run: Run) -> Iterator[LocalServer]:
    """Serve a run to simulated people only, on a free port of this computer."""
    web = built_front_end()
    served = replace(served_from_folder(run.folder), is_rehearsal=True)
    admin_token = secrets.token_urlsafe(24)
    name = run.script.study.name
    try:
        app = create_app(
            [served], secret=secrets.token_bytes(32), admin_token=admin_token, clock=now_ms, settings=Settings(web=web)
        )
        with _hosted(app) as address:
            door = {TOKEN_HEADER: admin_token}
            yield LocalServer(f"{address}/s/{name}", f"{address}/api/s/{name}", door, served.log)
    finally:
        served.log.close()


@contextmanager
def _hosted(app: Starlette) -> Iterator[str]:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        config = uvicorn.Config(app, log_config=None, access_log=False, lifespan="on", server_header=False)
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        # Uvicorn has no event for being ready.
        while not server.started and thread.is_alive():
            time.sleep(0.01)
        try:
            if not server.started:
                raise UnderstudyError("The server for the rehearsal did not start; its log says why.")
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()
