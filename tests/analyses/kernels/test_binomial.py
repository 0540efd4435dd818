"""Shares of yes-or-no answers against SciPy's own test, which takes long to import."""

import numpy as np
import pytest
from scipy.stats import binom, binomtest

from understudy.statistics.describe import binomial_quantiles, binomial_tail, binomial_tails, wilson_interval

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


@pytest.mark.parametrize(("successes", "n"), COUNTS)
def test_tails_of_many_chances_are_those_of_the_distribution(successes: int, n: int) -> None:
    chances = np.linspace(0.0, 1.0, 101)
    assert binomial_tails(successes, n, chances) == pytest.approx(binom.sf(successes - 1, n, chances), abs=1e-9)


@pytest.mark.parametrize("n", [1, 12, 1500])
def test_quantiles_are_those_of_the_distribution(n: int) -> None:
    levels = (np.arange(200) + 0.5) / 200
    assert binomial_quantiles(levels, n, 1 / 3).tolist() == binom.ppf(levels, n, 1 / 3).tolist()
