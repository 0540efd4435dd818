"""Explanation store: a folder of explanations by digest, which several processes may fill at once."""

import json
import os
import tempfile
from pathlib import Path

from understudy.roles import Explained
from understudy.schema import AnyExplanation, FileAddress, Json, Record, canonical_json, json_from_record


class StoredExplanation(Record):
    """One file of the store: an explanation, and the pictures that are stored with it."""

    explanation: AnyExplanation
    files: tuple[FileAddress, ...] = ()
    truth: Json = {}
    """What must not be shown about it."""


def load_explanation(folder: Path, digest: str) -> Explained | None:
    """Return the explanation stored under a digest; None if there is none, or if it cannot be read."""
    try:
        written = json.loads(_path(folder, digest).read_text(encoding="utf-8"))
        # Version 0.1.0 stored the explanation alone.
        entry = StoredExplanation.model_validate({"explanation": written} if "kind" in written else written)
        files = {address: _file_path(folder, address).read_bytes() for address in entry.files}
    except (FileNotFoundError, NotADirectoryError, UnicodeDecodeError, ValueError, TypeError):
        return None
    return Explained((entry.explanation,), files, (entry.truth,) if entry.truth else ())


def store_explanation(folder: Path, digest: str, explained: Explained) -> None:
    """Store one explanation with its pictures; another process reads all of it or nothing."""
    # Pictures first, so that an explanation that can be read has all its pictures.
    for address, content in explained.files.items():
        _write(_file_path(folder, address), content)
    (explanation,) = explained.explanations
    truth = explained.truths[0] if explained.truths else {}
    entry = StoredExplanation(explanation=explanation, files=tuple(sorted(explained.files)), truth=truth)
    _write(_path(folder, digest), canonical_json(json_from_record(entry)).encode())


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("wb", dir=path.parent, suffix=".part", delete=False) as stream:
        stream.write(content)
    os.replace(stream.name, path)  # noqa: PTH105, the name is text already


def _path(folder: Path, digest: str) -> Path:
    return folder / digest[:2] / f"{digest}.json"


def _file_path(folder: Path, address: str) -> Path:
    return folder / "files" / address[:2] / address
