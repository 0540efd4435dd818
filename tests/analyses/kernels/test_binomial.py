"""Shares of yes-or-no answers against SciPy's own test, which takes long to import."""

import pytest
from scipy.stats import binomtest

from understudy.analyses.kernels.binomial import binomial_tail, wilson_interval

COUNTS = [(8, 10), (0, 5), (5, 5), (700, 2000), (1200, 1300)]


@pytest.mark.parametrize(("successes", "n"), COUNTS)
@pytest.mark.parametrize("chance", [0.0, 1 / 3, 0.9, 1.0])
def test_the_tail_is_that_of_an_exact_test(successes: int, n: int, chance: float) -> None:
    expected = binomtest(successes, n, chance, alternative="greater").pvalue
    assert binomial_tail(successes, n, chance) == pytest.approx(float(expected), rel=1e-9, abs=1e-300)


@pytest.mark.parametrize(("successes", "n"), COUNTS)
@pytest.mark.parametrize("level", [0.9, 0.95])
def test_the_interval_is_wilsons(successes: int, n: int, level: float) -> None:
    expected = binomtest(successes, n).proportion_ci(level, method="wilson")
    found = wilson_interval(successes, n, level=level)
    assert (found.low, found.high) == pytest.approx((float(expected.low), float(expected.high)), rel=1e-9)
