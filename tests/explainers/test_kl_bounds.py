"""Bounds on shares cover them as often as promised."""

from math import log

import numpy as np
import pytest

from understudy.explainers.anchor import divergence, lower_bounds, upper_bounds

DELTA = 0.1


@pytest.mark.parametrize("share", [0.05, 0.5, 0.95])
@pytest.mark.parametrize("n", [20, 500])
def test_a_bound_misses_the_share_no_more_often_than_promised(share: float, n: int) -> None:
    hits = np.random.default_rng(1).binomial(n, share, size=4000).astype(np.float64)
    n_drawn = np.full(4000, n)
    assert (lower_bounds(hits, n_drawn, log(1 / DELTA)) > share).mean() <= DELTA
    assert (upper_bounds(hits, n_drawn, log(1 / DELTA)) < share).mean() <= DELTA


def test_at_the_bound_the_divergence_is_the_level_over_n() -> None:
    low = lower_bounds(np.array([80.0]), np.array([100]), 3.0)
    assert divergence(np.array([0.8]), low)[0] == pytest.approx(0.03, rel=1e-5)


def test_without_a_failure_the_lower_bound_is_the_root_of_delta() -> None:
    assert lower_bounds(np.array([50.0]), np.array([50]), log(20))[0] == pytest.approx(0.05 ** (1 / 50), abs=1e-6)


def test_nothing_drawn_leaves_everything_open() -> None:
    none = (np.zeros(1), np.zeros(1, dtype=np.int64), 3.0)
    assert (lower_bounds(*none)[0], upper_bounds(*none)[0]) == pytest.approx((0.0, 1.0), abs=1e-6)
