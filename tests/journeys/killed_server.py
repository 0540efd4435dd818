"""The process that the server journey kills: it serves a folder until it dies."""

from pathlib import Path

from understudy.record.log import now_ms
from understudy.serve import Settings, create_app, host_app
from understudy.workflow.serving import served_from_folder

SECRET = b"a secret of at least thirty-two characters"
ADMIN = "the-admin-token"


def serve_until_killed(folder: Path, port: int) -> None:
    """Serve one folder on this machine only."""
    served = served_from_folder(folder)
    settings = Settings(session_burst=1e6, door_burst=1e6)
    app = create_app([served], secret=SECRET, admin_token=ADMIN, clock=now_ms, settings=settings)
    host_app(app, host="127.0.0.1", port=port, log_level="critical")
    served.log.close()
