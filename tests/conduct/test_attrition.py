"""Differential attrition agrees with scipy, and says nothing about a handful of people."""

import math

import numpy as np
import pytest
from scipy import stats

from understudy.conduct.attrition import Lost, attrition_of, gamma_tail


@pytest.mark.parametrize(("first", "second"), [((20, 3), (22, 11)), ((5, 0), (5, 5)), ((60, 9), (61, 9)), ((100, 0), (90, 4))])  # fmt: skip
def test_two_conditions_are_tested_as_fisher_does(first: tuple[int, int], second: tuple[int, int]) -> None:
    found = attrition_of([Lost(*first), Lost(*second)])
    table = np.array([[left, ended - left] for ended, left in (first, second)])
    assert found is not None
    assert found.method == "exact"
    assert found.p == pytest.approx(stats.fisher_exact(table).pvalue)


def test_three_conditions_are_tested_as_freeman_and_halton_do() -> None:
    found = attrition_of([Lost(9, 1), Lost(9, 5), Lost(8, 4)])
    # All tables with these margins, weighed by the hypergeometric distribution.
    margins = [(a, b, 10 - a - b) for a in range(10) for b in range(10) if 0 <= 10 - a - b <= 8]
    weights = {
        cells: math.prod(math.comb(n, cell) for n, cell in zip((9, 9, 8), cells, strict=True)) for cells in margins
    }
    own = weights[1, 5, 4]
    expected = sum(weight for weight in weights.values() if weight <= own) / sum(weights.values())
    assert found is not None
    assert found.p == pytest.approx(expected)


def test_many_people_are_tested_by_chi_square() -> None:
    lost = [Lost(4000, 410), Lost(4100, 380), Lost(3900, 450), Lost(4050, 420)]
    found = attrition_of(lost)
    table = [[one.n_left, one.n_ended - one.n_left] for one in lost]
    assert found is not None
    assert found.method == "chi_square"
    assert found.p == pytest.approx(stats.chi2_contingency(table, correction=False).pvalue)


def test_the_interval_is_that_of_newcombe() -> None:
    # The example of Newcombe (1998), table II: 56/70 against 48/80, method 10.
    found = attrition_of([Lost(70, 56), Lost(80, 48)])
    assert found is not None
    assert (found.low, found.high) == pytest.approx((0.0524, 0.3339), abs=5e-5)


def test_a_handful_of_people_says_nothing() -> None:
    assert attrition_of([Lost(4, 4), Lost(50, 0)]) is None
    assert attrition_of([Lost(50, 5)]) is None


@pytest.mark.parametrize(("shape", "x"), [(0.5, 0.02), (0.5, 8.0), (1.5, 2.4), (6.0, 30.0)])
def test_the_tail_of_the_gamma_distribution_is_right(shape: float, x: float) -> None:
    assert gamma_tail(shape, x) == pytest.approx(stats.gamma.sf(x, shape), rel=1e-9)
