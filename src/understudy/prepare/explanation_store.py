"""Explanation store: a folder of explanations by digest, which several programs may fill at once."""

import json
import os
import tempfile
from pathlib import Path

from understudy.roles import Explained
from understudy.schema import AnyExplanation, FileAddress, Record, canonical_json, json_from_record


class KeptExplanation(Record):
    """One file of the store: an explanation, and the pictures that are kept with it."""

    explanation: AnyExplanation
    files: tuple[FileAddress, ...] = ()


def kept_explanation(folder: Path, digest: str) -> Explained | None:
    """Return what is kept under a digest; None where nothing is, or nothing that can be read whole."""
    try:
        written = json.loads(_place(folder, digest).read_text(encoding="utf-8"))
        # Version 0.1.0 kept the explanation alone.
        kept = KeptExplanation.model_validate({"explanation": written} if "kind" in written else written)
        files = {address: _file_place(folder, address).read_bytes() for address in kept.files}
    except (FileNotFoundError, NotADirectoryError, UnicodeDecodeError, ValueError, TypeError):
        return None
    return Explained((kept.explanation,), files)


def keep_explanation(folder: Path, digest: str, explained: Explained) -> None:
    """Keep one explanation with its pictures; another program that reads meanwhile finds all of it or nothing."""
    # Pictures first: an explanation that can be read has all of its own.
    for address, content in explained.files.items():
        _write(_file_place(folder, address), content)
    (explanation,) = explained.explanations
    kept = KeptExplanation(explanation=explanation, files=tuple(sorted(explained.files)))
    _write(_place(folder, digest), canonical_json(json_from_record(kept)).encode())


def _write(place: Path, content: bytes) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("wb", dir=place.parent, suffix=".part", delete=False) as stream:
        stream.write(content)
    os.replace(stream.name, place)  # noqa: PTH105, the name is text already


def _place(folder: Path, digest: str) -> Path:
    return folder / digest[:2] / f"{digest}.json"


def _file_place(folder: Path, address: str) -> Path:
    return folder / "files" / address[:2] / address
