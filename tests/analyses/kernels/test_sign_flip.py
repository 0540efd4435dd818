"""Sign-flip test, beside SciPy's permutation test and the binomial test."""

from itertools import product

import numpy as np
import pytest
from scipy import stats

from understudy.probe.paired_tests import sign_flip, sign_flip_counts

RNG = np.random.default_rng


def brute(d: np.ndarray) -> float:
    sums = [abs(float(np.dot(signs, d))) for signs in product((1, -1), repeat=d.size)]
    return float(np.mean(np.array(sums) >= abs(d.sum()) - 1e-12))


@pytest.mark.parametrize("n", [1, 2, 7, 12])
def test_all_sign_patterns_are_counted(n: int) -> None:
    d = RNG(n).normal(0.4, 1, n)
    found = sign_flip(d, rng=RNG(0))
    assert found.method == "exact"
    assert found.p_value == pytest.approx(brute(d), abs=1e-14)


def test_it_is_the_permutation_test_of_scipy() -> None:
    d = RNG(4).normal(0.3, 1, 12)
    theirs = stats.permutation_test((d,), lambda x: float(x.sum()), permutation_type="samples", n_resamples=10**6)
    assert sign_flip(d, rng=RNG(0)).p_value == pytest.approx(float(theirs.pvalue), abs=1e-12)


@pytest.mark.parametrize(("up", "down"), [(0, 0), (3, 3), (9, 2), (2, 9), (600, 500), (5, 0)])
def test_zero_one_scores_give_the_exact_test_of_mcnemar(up: int, down: int) -> None:
    expected = stats.binomtest(up, up + down).pvalue if up + down else 1.0
    assert sign_flip_counts(up, down).p_value == pytest.approx(float(expected), rel=1e-10)


def test_a_million_counts_stay_exact() -> None:
    assert sign_flip_counts(501_000, 499_000).p_value == pytest.approx(
        float(stats.binomtest(501_000, 1_000_000).pvalue), rel=1e-6
    )


def test_differences_on_a_grid_are_exact_however_many() -> None:
    d = np.concatenate([np.full(20, 0.5), np.full(12, -0.5), np.full(15, 0.25), np.full(11, -0.25)])
    found = sign_flip(d, rng=RNG(0))
    big, small = stats.binom(32, 0.5).pmf(np.arange(33)), stats.binom(26, 0.5).pmf(np.arange(27))
    sums = np.add.outer(0.5 * (2 * np.arange(33) - 32), 0.25 * (2 * np.arange(27) - 26))
    assert found.method == "exact"
    assert found.p_value == pytest.approx(np.outer(big, small)[np.abs(sums) >= abs(d.sum()) - 1e-12].sum(), rel=1e-10)


def test_grid_and_listing_agree() -> None:
    d = np.round(RNG(8).normal(0.2, 0.5, 19), 2)
    d = d[d != 0]
    assert d.size == 19
    sums = np.array([0.0])
    for one in d:
        sums = np.concatenate([sums + one, sums - one])
    assert sign_flip(d, rng=RNG(0)).p_value == pytest.approx(np.mean(np.abs(sums) >= abs(d.sum()) - 1e-9), abs=1e-12)


def test_drawn_signs_come_near_the_t_test_and_repeat_with_their_seed() -> None:
    d = RNG(1).normal(0.1, 1, 400)
    found = sign_flip(d, rng=RNG(7))
    assert (found.method, found.n_draws) == ("drawn", 9_999)
    assert found == sign_flip(d, rng=RNG(7))
    assert found.p_value == pytest.approx(float(stats.ttest_1samp(d, 0).pvalue), abs=0.02)


def test_no_difference_at_all_is_no_evidence() -> None:
    assert sign_flip(np.zeros(30), rng=RNG(0)).p_value == 1.0


def test_it_errs_as_often_as_it_says() -> None:
    rng = RNG(11)
    p = [sign_flip(rng.standard_t(3, 12), rng=rng).p_value for _ in range(600)]
    assert 0.03 < np.mean(np.array(p) < 0.05) < 0.07
