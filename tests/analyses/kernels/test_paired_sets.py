"""All paired t tests from one read, beside SciPy's one by one."""

import numpy as np
import pytest
from scipy import stats

from understudy.probe.paired_tests import PairedSets, paired_sets

PAIRS = [(i, j) for i in range(4) for j in range(i + 1, 4)]


def t_values(sets: PairedSets) -> list[float]:
    return [float(sets.differences[i, j] / (sets.difference_variances[i, j] / sets.n) ** 0.5) for i, j in PAIRS]


def by_scipy(scores: np.ndarray) -> list[float]:
    return [float(stats.ttest_rel(scores[i].astype(float), scores[j].astype(float)).statistic) for i, j in PAIRS]


@pytest.mark.parametrize("n", [2, 3, 1000, (1 << 15) - 1, 1 << 15, 100_003])
def test_scores_give_the_t_of_scipy(n: int) -> None:
    scores = np.random.default_rng(n).random((4, n))
    assert t_values(paired_sets(scores)) == pytest.approx(by_scipy(scores), rel=1e-10)


@pytest.mark.parametrize("n", [5, 64, 1000, (1 << 20) + 17])
def test_counted_bits_give_the_t_of_scipy(n: int) -> None:
    rng = np.random.default_rng(n)
    scores = rng.random((4, n)) < np.array([[0.8], [0.7], [0.5], [0.75]])
    scores[:, 0], scores[:, 1] = [True, False, True, False], [False, True, True, False]
    assert t_values(paired_sets(scores)) == pytest.approx(by_scipy(scores), rel=1e-10)


def test_bits_and_their_numbers_agree() -> None:
    scores = np.random.default_rng(3).random((4, 5000)) < 0.6
    bits, numbers = paired_sets(scores), paired_sets(scores.astype(float))
    assert bits.difference_variances == pytest.approx(numbers.difference_variances, rel=1e-10)
    assert bits.variances == pytest.approx(numbers.variances, rel=1e-10)
    assert bits.means == pytest.approx(numbers.means, rel=1e-12)


@pytest.mark.parametrize("spread", [1e-3, 1e-6, 1e-9])
def test_rows_that_are_almost_the_same_keep_their_digits(spread: float) -> None:
    rng = np.random.default_rng(1)
    first = rng.random(50_000)
    scores = np.stack([first, first + spread * rng.random(50_000), first - spread * rng.random(50_000), first[::-1]])
    assert t_values(paired_sets(scores)) == pytest.approx(by_scipy(scores), rel=1e-10)


def test_differences_far_from_zero_keep_their_digits() -> None:
    rng = np.random.default_rng(2)
    scores = np.stack([0.9 + 1e-7 * rng.random(40_000), 0.1 + 1e-7 * rng.random(40_000), *rng.random((2, 40_000))])
    assert t_values(paired_sets(scores)) == pytest.approx(by_scipy(scores), rel=1e-10)


def test_a_part_of_the_columns_is_counted_like_the_whole() -> None:
    scores = np.random.default_rng(4).random((4, 900)) < 0.6
    part = scores[:, np.arange(900) % 2 == 0]
    assert t_values(paired_sets(part)) == pytest.approx(by_scipy(part), rel=1e-10)


def test_variances_of_rows_are_those_of_numpy() -> None:
    scores = np.random.default_rng(5).random((4, 999))
    assert paired_sets(scores).variances == pytest.approx(scores.var(axis=1, ddof=1), rel=1e-12)


def test_one_column_is_refused() -> None:
    with pytest.raises(ValueError, match="4 x 1; rows of at least 2 numbers"):
        paired_sets(np.ones((4, 1)))
