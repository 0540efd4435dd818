"""Explanation store: a folder of explanations by digest, which several programs may fill at once."""

import os
import tempfile
from pathlib import Path

from pydantic import ValidationError

from understudy.schema import Explanation, canonical_json, json_from_record


def kept_explanation(folder: Path, digest: str) -> Explanation | None:
    """Return what is kept under a digest; None where nothing is, or nothing that can be read."""
    try:
        return Explanation.model_validate_json(_place(folder, digest).read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError, UnicodeDecodeError, ValidationError):
        return None


def keep_explanation(folder: Path, digest: str, explanation: Explanation) -> None:
    """Keep an explanation; whoever reads meanwhile finds all of it or nothing."""
    place = _place(folder, digest)
    place.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=place.parent, suffix=".part", delete=False) as stream:
        stream.write(canonical_json(json_from_record(explanation)))
    os.replace(stream.name, place)  # noqa: PTH105, the name is text already


def _place(folder: Path, digest: str) -> Path:
    return folder / digest[:2] / f"{digest}.json"
