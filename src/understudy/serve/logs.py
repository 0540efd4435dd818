"""Logs: one JSON object per line, with routes and counts but no personal data."""

import json
import logging
import sys


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


def log_as_json(level: str) -> None:
    """Send the server's log to standard error as JSON lines."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    for name in ("understudy.serve", "uvicorn", "uvicorn.error"):
        logger = logging.getLogger(name)
        logger.handlers = [handler] if name != "uvicorn.error" else []
        logger.propagate = name == "uvicorn.error"
        logger.setLevel(level.upper())
