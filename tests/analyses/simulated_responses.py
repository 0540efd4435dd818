"""The simulated responses that R was asked about, as the tables that analyses take, and R's answers."""

import json
from typing import Any

import pandas as pd

from tests.analyses.reference_rows import FOLDER, data, shuffled

R: dict[str, dict[str, Any]] = json.loads((FOLDER / "simulatability.json").read_text())["values"]
CHANGE: dict[str, Any] = {"factor": "phase", "contrast": ("after", "before")}


def phases() -> pd.DataFrame:
    """Return single answers of both phases."""
    frame = data("responses").rename(columns={"person": "participant"})
    return shuffled(pd.concat([frame.assign(phase=phase, value=frame[phase]) for phase in ("before", "after")]))


def rated() -> pd.DataFrame:
    """Return the answers of the second phase with their ratings."""
    frame = data("responses").rename(columns={"person": "participant"})
    return shuffled(frame.assign(value=frame["after"], other=frame["rating"]))
