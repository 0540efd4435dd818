"""The process that the server journey kills: it serves a folder until it dies."""

from dataclasses import replace
from pathlib import Path

from understudy.actions.serve import served_from_folder
from understudy.record import open_log
from understudy.record.log import now_ms
from understudy.serve import Settings, create_app, host_app

SECRET = b"a secret of at least thirty-two characters"
ADMIN = "the-admin-token-of-tests"


def serve_until_killed(folder: Path, port: int, wait_ms: int = 10_000) -> None:
    """Serve one folder on this machine only; `wait_ms` is how long the server waits for a locked log."""
    served = served_from_folder(folder)
    served.log.close()
    served = replace(served, log=open_log(folder / "events.sqlite", wait_ms=wait_ms))
    settings = Settings(session_burst=1e6, arrival_burst=1e6)
    app = create_app([served], secret=SECRET, admin_token=ADMIN, clock=now_ms, settings=settings)
    host_app(app, host="127.0.0.1", port=port, log_level="critical")
    served.log.close()
