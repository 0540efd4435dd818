"""Serve: participants in the browser; nothing acknowledged is lost, and no answer ever leaves the server."""

from understudy.serve.app import close_app, create_app
from understudy.serve.hosting import host_app
from understudy.serve.participant_api import REHEARSAL_HEADER
from understudy.serve.served import Demo, Rehearsal, ServedStudy, Settings

__all__ = [
    "REHEARSAL_HEADER",
    "Demo",
    "Rehearsal",
    "ServedStudy",
    "Settings",
    "close_app",
    "create_app",
    "host_app",
]
