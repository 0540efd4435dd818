"""Files that only their owner may read, each whole or not there at all: small records that a run folder remembers."""

import os
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from understudy.errors import UnderstudyError
from understudy.schema import Record

Remembered = TypeVar("Remembered", bound=Record)


def read_private(path: Path, kind: type[Remembered], *, damaged: str) -> Remembered | None:
    """Read a record; None before it was written. `damaged` says what the file should hold, and what to do."""
    try:
        return kind.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except ValidationError:
        raise UnderstudyError(f"{path} {damaged}") from None


def write_private(path: Path, text: str) -> None:
    """Write a file; a crash leaves the old one or the new one, never half of it."""
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as stream:
        stream.write(text)
    draft.replace(path)
