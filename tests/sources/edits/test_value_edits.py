"""Edited values: how many, of what, and how likely."""

import numpy as np
import pytest

from understudy.sources.edits import edited_codes
from understudy.sources.income import LEGEND, income_cases

RNG = np.random.default_rng
SIZES = [len(values) for values in LEGEND.values]


@pytest.mark.parametrize("count", [1, 2, 3, 8])
def test_so_many_variables_change_as_are_wanted(count: int) -> None:
    rows = income_cases().test.inputs[:200]
    edited = edited_codes(rows, SIZES, np.full(200, count), RNG(1))
    assert ((edited != rows).sum(axis=1) == count).all()
    assert (edited < SIZES).all()


def test_variables_and_their_other_values_are_equally_likely() -> None:
    row = np.zeros((60_000, 8))
    edited = edited_codes(row, SIZES, np.ones(60_000, dtype=np.int64), RNG(1))
    np.testing.assert_allclose((edited > 0).mean(axis=0), 1 / 8, atol=0.01)
    occupation = edited[edited[:, 2] > 0, 2]
    np.testing.assert_allclose(np.bincount(occupation.astype(int))[1:] / len(occupation), 1 / 4, atol=0.02)


def test_a_variable_with_one_value_stays() -> None:
    edited = edited_codes(np.zeros((50, 2)), [1, 2], np.full(50, 2), RNG(1))
    assert edited.tolist() == [[0.0, 1.0]] * 50
