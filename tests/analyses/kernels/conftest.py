"""What R said, what it was asked about, and how far chance may go."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats

FOLDER = Path(__file__).parents[2] / "reference"


@pytest.fixture(scope="session")
def expected() -> Callable[..., npt.NDArray[np.float64]]:
    """Look up one field as R gave it, or several numbers side by side."""
    values = json.loads((FOLDER / "values.json").read_text())["values"]

    def look_up(name: str, *fields: str) -> npt.NDArray[np.float64]:
        found = [np.array(values[name][field], dtype=np.float64) for field in fields]
        return found[0] if len(found) == 1 else np.array(found)

    return look_up


@pytest.fixture(scope="session")
def column() -> Callable[[str, str], npt.NDArray[np.float64]]:
    def read(name: str, field: str) -> npt.NDArray[np.float64]:
        rows = [line.split(",") for line in (FOLDER / "inputs" / f"{name}.csv").read_text().split()]
        place = rows[0].index(field)
        values = np.array([row[place] for row in rows[1:]])
        if values[0].isalpha():
            return np.unique(values, return_inverse=True)[1].astype(np.float64)
        return values.astype(np.float64)

    return read


@pytest.fixture(scope="session")
def nominal() -> Callable[[int, float], tuple[float, float]]:
    """Counts between which 99.9 % of simulations fall when the true rate is as stated."""

    def limits(n: int, rate: float) -> tuple[float, float]:
        low, high = stats.binom.interval(0.999, n, rate)
        return float(low), float(high)

    return limits
