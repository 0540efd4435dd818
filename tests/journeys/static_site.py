"""An exported folder on a plain web host, in a folder of its own, and a receiver for what pages send."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NamedTuple

from tests.journeys.player_study import player_study
from understudy.actions.run_folder import Run, new_run
from understudy.actions.serve import built_front_end
from understudy.actions.static_site import StaticOptions, static_folder
from understudy.schema import Study


class Site(NamedTuple):
    """Where a folder is hosted, and the run it came from."""

    address: str
    run: Run
    folder: Path


def static_study(study: Study | None = None) -> Study:
    """The player's study, or another, without what needs right answers on the page."""
    plain = (study or player_study()).model_dump(mode="json")
    flow = [one for one in plain["flow"] if one["block_id"] != "result"]
    for block in flow:
        block |= {"feedback": "none"} if block["kind"] == "stage" else {}
    return Study.model_validate({**plain, "name": "still", "flow": flow})


@contextmanager
def hosted(tmp_path: Path, *, post: str | None = None, study: Study | None = None) -> Iterator[Site]:
    """Export a study and host it with Python's own web server, two folders deep."""
    run = new_run(study or static_study(), tmp_path, tmp_path / "run")
    folder = tmp_path / "host" / "lab" / "still"
    static_folder(run, folder, web=built_front_end(), options=StaticOptions(n_sessions=4, post=post))
    with plain_host(tmp_path / "host") as address:
        yield Site(f"{address}lab/still/", run, folder)


class _QuietFiles(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Stay quiet."""


@contextmanager
def plain_host(folder: Path) -> Iterator[str]:
    """Host a folder with Python's own web server, and return its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_QuietFiles, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class Receiver(NamedTuple):
    """What was sent to an address, and how many sends it turns away first."""

    address: str
    bodies: list[bytes]


@contextmanager
def receiver(*, n_failing: int = 0) -> Iterator[Receiver]:
    """Take what is posted from any origin."""
    bodies: list[bytes] = []
    left = [n_failing]

    class Handler(BaseHTTPRequestHandler):
        def do_OPTIONS(self) -> None:
            self._answer(204)

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if left[0] > 0:
                left[0] -= 1
                self._answer(503)
                return
            bodies.append(body)
            self._answer(204)

        def _answer(self, status: int) -> None:
            self.send_response(status)
            self.send_header("Access-Control-Allow-Origin", "*")
            self.send_header("Access-Control-Allow-Headers", "Content-Type")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Stay quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield Receiver(f"http://127.0.0.1:{server.server_address[1]}/take", bodies)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
