"""The data sets R was asked about as the tables that analyses take, rows shuffled, and R's answers."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from understudy import registry
from understudy.schema import Estimate, Hypothesis, Ref

FOLDER = Path(__file__).parents[1] / "reference"
VALUES: dict[str, dict[str, Any]] = json.loads((FOLDER / "values.json").read_text())["values"]


def data(name: str) -> pd.DataFrame:
    """Read one data set as it stands in its file."""
    return pd.read_csv(FOLDER / "inputs" / f"{name}.csv")


def shuffled(table: pd.DataFrame) -> pd.DataFrame:
    """Put rows out of order, so that nothing can pair by position."""
    return table.sample(frac=1, random_state=11).reset_index(drop=True)


def within_rows(frame: pd.DataFrame, factor: str = "level") -> pd.DataFrame:
    """Turn a people × levels frame into shuffled rows; a `group` column stays beside them."""
    kept = ["participant", *(["group"] if "group" in frame else [])]
    named = frame.assign(participant=[f"p{number}" for number in range(len(frame))])
    return shuffled(named.melt(id_vars=kept, var_name=factor, value_name="value"))


def between_rows(**groups: Any) -> pd.DataFrame:
    """Turn groups of values into shuffled rows, one per person."""
    rows = [(level, value) for level, values in groups.items() for value in values]
    table = pd.DataFrame(rows, columns=["group", "value"])
    return shuffled(table.assign(participant=[f"p{number}" for number in range(len(table))]))


def crossed_rows(answer: str) -> pd.DataFrame:
    """Return single trials of the crossed data set; conditions are named so that 0 comes last."""
    frame = data("crossed")
    names = {0: "z0", 1: "c1", 2: "c2"}
    columns = {"participant": frame["person"], "item": frame["item"], "condition": frame["condition"].map(names)}
    return shuffled(pd.DataFrame({**columns, "value": frame[answer]}))


def claim(**fields: Any) -> Hypothesis:
    """Write a hypothesis around the fields that matter."""
    return Hypothesis.model_validate(
        {"hypothesis_id": "h", "claim": "It is so.", "outcome": "score", "analysis": "any"} | fields
    )


def estimate(name: str, table: pd.DataFrame, *, seed: int = 0, params: Any = None, **fields: Any) -> Estimate:
    """Run one catalogue entry on rows."""
    analysis = registry.create("analyses", Ref(name=name, params=params or {}))
    made: Estimate = analysis.estimate(table, claim(**fields), np.random.default_rng(seed))
    return made


def sizes(found: Estimate) -> dict[str, float | None]:
    """Return effect sizes by name."""
    return {size.name: size.value for size in found.effect_sizes}


def limits(found: Estimate) -> tuple[float | None, float | None]:
    """Return both ends of the interval."""
    assert found.interval is not None
    return found.interval.low, found.interval.high


def nominal(n: int, rate: float = 0.05) -> tuple[float, float]:
    """Return counts between which 99.9 % of simulations fall when the true rate is as stated."""
    low, high = stats.binom.interval(0.999, n, rate)
    return float(low), float(high)
