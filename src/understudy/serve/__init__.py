"""Serve: participants in the browser; nothing acknowledged is lost, and no answer ever leaves the server."""

from understudy.serve.app import close_app, create_app
from understudy.serve.hosting import host_app
from understudy.serve.served import Demo, ServedStudy, Settings
from understudy.serve.synthetic_door import DOOR_HEADER

__all__ = [
    "DOOR_HEADER",
    "Demo",
    "ServedStudy",
    "Settings",
    "close_app",
    "create_app",
    "host_app",
]
