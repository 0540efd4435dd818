"""Regression to the mean: chance alone bends the plain slope, and not the one over different items."""

import numpy as np
import pytest

from understudy.statistics.regression import fit_line, split_slope


def noise(seed: int) -> tuple[np.ndarray[tuple[int, int], np.dtype[np.float64]], ...]:
    """Two phases of 300 people whose skill is the same in both."""
    rng = np.random.default_rng(seed)
    skill = rng.uniform(0.5, 0.8, (300, 1))
    return tuple(np.asarray(rng.random((300, 16)) < skill, dtype=np.float64) for _ in range(2))


def test_chance_alone_bends_the_plain_slope() -> None:
    before, after = noise(0)
    found = fit_line(before.mean(axis=1), (after - before).mean(axis=1))
    assert found.slope < -0.3
    assert found.p_value < 1e-6


def test_different_items_show_no_slope_where_there_is_none() -> None:
    assert split_slope(*noise(0)) == pytest.approx(0, abs=0.1)


def test_different_items_still_show_a_true_slope() -> None:
    rng = np.random.default_rng(2)
    before = np.asarray(rng.random((300, 16)) < rng.uniform(0.1, 0.9, (300, 1)), dtype=np.float64)
    after = np.asarray(rng.random((300, 16)) < 0.65, dtype=np.float64)
    assert split_slope(before, after) < -0.5


def test_alike_starts_have_no_slope() -> None:
    assert np.isnan(fit_line([1.0, 1, 1], [1.0, 2, 3]).slope)
