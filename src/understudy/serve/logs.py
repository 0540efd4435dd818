"""Logs: one JSON object per line, with routes and counts but no personal data."""

import json
import logging
import sys
import time
from collections.abc import Callable

from understudy.serve.limits import RateLimit


class JsonLines(logging.Formatter):
    """Writes a record as JSON; arguments that could hold an address or a name are left out."""

    def format(self, record: logging.LogRecord) -> str:
        """Write one line."""
        line: dict[str, object] = {
            "at_ms": int(record.created * 1000),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": record.getMessage(),
        }
        fields = getattr(record, "fields", None)
        if isinstance(fields, dict):
            line |= {name: round(value, 2) if isinstance(value, float) else value for name, value in fields.items()}
        # Only the kind of an exception: its message may contain a participant's answer.
        if record.exc_info and record.exc_info[0]:
            line["kind"] = record.exc_info[0].__name__
        return json.dumps(line, ensure_ascii=False)


class LineLimit(logging.Filter):
    """Lets so many lines a second through, and says with the next line how many it held back."""

    def __init__(self, rate: float = 20.0, burst: float = 200.0, seconds: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._limit = RateLimit(rate, burst, seconds)
        self._n_dropped = 0

    def filter(self, record: logging.LogRecord) -> bool:
        """Tell whether a line may be written."""
        # A flood of refused requests must not fill the disk with lines about it.
        if not self._limit.allows(""):
            self._n_dropped += 1
            return False
        if self._n_dropped:
            record.fields = {**(getattr(record, "fields", None) or {}), "n_dropped": self._n_dropped}
            self._n_dropped = 0
        return True


def log_as_json(level: str) -> None:
    """Send the server's log to standard error as JSON lines."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    handler.addFilter(LineLimit())
    for name in ("understudy.serve", "uvicorn", "uvicorn.error"):
        logger = logging.getLogger(name)
        logger.handlers = [handler] if name != "uvicorn.error" else []
        logger.propagate = name == "uvicorn.error"
        logger.setLevel(level.upper())
