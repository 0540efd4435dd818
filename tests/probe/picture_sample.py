"""Verdicts for tests of the picture: a made-up rotation test with four classes and five runs."""

import json
from pathlib import Path
from typing import Any

_SAMPLE = Path(__file__).parents[2] / "frontend" / "tests" / "verdicts.json"


def sample_verdicts() -> dict[str, Any]:
    """Return the document that the tests of the front end read, too: H6 turns at a threshold of 0.017."""
    document: dict[str, Any] = json.loads(_SAMPLE.read_text(encoding="utf-8"))
    return document
