"""Where nothing differs, a test of the catalogue at 5 % is wrong in 5 % of simulated studies."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.analyses.reference_rows import estimate, nominal
from understudy.roles import Rng

pytestmark = pytest.mark.slow

N_STUDIES = 600


def groups(rng: Rng) -> pd.DataFrame:
    people = [f"p{k}" for k in range(30)]
    return pd.DataFrame({"participant": people, "group": ["a", "b"] * 15, "value": rng.normal(0, 1, 30)})


def ratings(rng: Rng) -> pd.DataFrame:
    return groups(rng).assign(value=rng.integers(1, 6, 30))


def phases(rng: Rng) -> pd.DataFrame:
    person = np.repeat(np.arange(12), 3)
    values = rng.normal(0, 1, 12)[person] + rng.normal(0, 1, 36)
    groups = np.where(person % 2, "a", "b")
    return pd.DataFrame({"participant": person, "group": groups, "level": list("xyz") * 12, "value": values})


def trials(rng: Rng) -> pd.DataFrame:
    person, item = (axis.ravel() for axis in np.meshgrid(np.arange(16), np.arange(8), indexing="ij"))
    values = rng.normal(0, 0.7, 16)[person] + rng.normal(0, 0.7, 8)[item] + rng.normal(0, 1, 128)
    level = np.where((person + item) % 2, "x", "y")
    return pd.DataFrame({"participant": person, "item": item, "level": level, "value": values})


TESTS: dict[str, tuple[Any, dict[str, Any]]] = {
    "welch_t": (groups, {"factor": "group", "contrast": ("a", "b"), "direction": "greater"}),
    "rank_sum": (ratings, {"factor": "group", "contrast": ("a", "b")}),
    "mixed_anova": (phases, {"factor": "group", "crossed_with": "level", "params": {"sphericity": "none"}}),
    "paired_t": (lambda rng: phases(rng).query("level != 'z'"), {"factor": "level", "contrast": ("x", "y")}),
    "linear_mixed": (
        trials,
        {"factor": "level", "contrast": ("x", "y"), "direction": "less", "params": {"random": ["participant", "item"]}},
    ),
}


@pytest.mark.parametrize("name", TESTS)
def test_false_positives_are_as_rare_as_stated(name: str) -> None:
    rows, fields = TESTS[name]
    rng = np.random.default_rng(2024)
    p_values = [estimate(name, rows(rng), **fields).p_value for _ in range(N_STUDIES)]
    low, high = nominal(N_STUDIES)
    assert low <= sum(p is not None and p < 0.05 for p in p_values) <= high


def test_exact_mcnemar_is_never_wrong_too_often() -> None:
    rng = np.random.default_rng(7)
    person = np.repeat(np.arange(25), 2)
    rejected = 0
    for _ in range(N_STUDIES):
        rows = pd.DataFrame({"participant": person, "level": list("xy") * 25, "value": rng.integers(0, 2, 50)})
        found = estimate("mcnemar", rows, factor="level", contrast=("x", "y"))
        rejected += found.p_value is not None and found.p_value < 0.05
    assert 0 < rejected <= nominal(N_STUDIES)[1]
