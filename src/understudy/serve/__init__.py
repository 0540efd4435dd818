"""Serve: participants in the browser; nothing acknowledged is lost, and no answer ever leaves the server."""

from understudy.serve.app import close_app, create_app
from understudy.serve.hosting import host_app
from understudy.serve.served import ServedStudy, Settings

__all__ = ["ServedStudy", "Settings", "close_app", "create_app", "host_app"]
