"""Serve: conduct sessions in the browser; acknowledged events are never lost, and the answer key stays on the server."""

from typing import TYPE_CHECKING

from understudy.deferred.names import defer_names

if TYPE_CHECKING:
    from understudy.serve.app import close_app, create_app
    from understudy.serve.hosting import host_app
    from understudy.serve.participant_routes import TOKEN_HEADER
    from understudy.serve.settings import Demo, ServedStudy, Settings

__all__ = [
    "TOKEN_HEADER",
    "Demo",
    "ServedStudy",
    "Settings",
    "close_app",
    "create_app",
    "host_app",
]

defer_names(__name__)
