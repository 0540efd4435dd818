"""Friedman, Cochran's Q, χ², Fisher, Dunn, Games–Howell, FDR and Cronbach's alpha against other implementations."""

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.contingency_tables import cochrans_q as their_cochran
from statsmodels.stats.multicomp import pairwise_tukeyhsd
from statsmodels.stats.multitest import multipletests

from understudy.statistics.arrays import Floats
from understudy.statistics.counts import chi_square, fisher_exact
from understudy.statistics.multiple_comparisons import benjamini_hochberg, dunn_test, games_howell
from understudy.statistics.ranks import cochran_q, cronbach_alpha, friedman

SEEDS = range(5)


def groups_of(seed: int, *, tied: bool = False) -> list[Floats]:
    rng = np.random.default_rng(seed)
    groups = [rng.normal(mean, spread, n) for mean, spread, n in ((0, 1, 9), (0.5, 2, 14), (1.2, 0.5, 11))]
    return [np.round(group) for group in groups] if tied else groups


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("tied", [False, True])
def test_friedman_equals_scipy(seed: int, tied: bool) -> None:
    values = np.random.default_rng(seed).normal(size=(12, 4))
    values = np.round(values) if tied else values
    theirs = stats.friedmanchisquare(*values.T)
    ours = friedman(values)
    assert (ours.statistic, ours.p_value) == pytest.approx((theirs.statistic, theirs.pvalue))
    assert ours.share == pytest.approx(theirs.statistic / (12 * 3))


@pytest.mark.parametrize("seed", SEEDS)
def test_cochran_q_equals_statsmodels(seed: int) -> None:
    values = (np.random.default_rng(seed).random((15, 3)) < [0.3, 0.5, 0.8]).astype(float)
    theirs = their_cochran(values)
    ours = cochran_q(values)
    assert (ours.statistic, ours.p_value) == pytest.approx((theirs.statistic, theirs.pvalue))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("continuity", [False, True])
def test_chi_square_equals_the_sum_over_cells(seed: int, continuity: bool) -> None:
    counts = np.random.default_rng(seed).integers(3, 30, (2, 2))
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum()
    gaps = np.abs(counts - expected) - (np.minimum(0.5, np.abs(counts - expected)) if continuity else 0)
    statistic = float((gaps**2 / expected).sum())
    assert chi_square(counts, continuity=continuity).statistic == pytest.approx(statistic)
    assert chi_square(counts, continuity=continuity).p_value == pytest.approx(stats.chi2.sf(statistic, 1))


def test_fisher_equals_the_tea_tasting_table_in_r() -> None:
    # R, help page of fisher.test: TeaTasting, alternative = "greater". R finds the odds ratio by a coarse root search.
    test = fisher_exact([[3, 1], [1, 3]], alternative="greater")
    assert (test.p_value, test.odds_ratio) == pytest.approx((0.2428571, 6.408309), rel=1e-5)
    # R, help page of fisher.test: Convictions.
    twins = fisher_exact([[2, 10], [15, 3]], level=0.95)
    assert (twins.p_value, twins.odds_ratio) == pytest.approx((0.0005367241, 0.04693661), rel=1e-4)
    # R prints 0.003325764 and 0.363182271 by the same coarse search; the exact limits have tails of 2.5 %.
    assert (twins.interval.low, twins.interval.high) == pytest.approx((0.003325764, 0.363182271), rel=3e-3)
    low, high = (stats.nchypergeom_fisher(30, 17, 12, ratio) for ratio in twins.interval)
    assert (low.sf(1), high.cdf(2)) == pytest.approx((0.025, 0.025), rel=1e-6)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("tied", [False, True])
def test_dunn_of_two_groups_is_the_rank_sum_test(seed: int, tied: bool) -> None:
    first, second, _ = groups_of(seed, tied=tied)
    theirs = stats.mannwhitneyu(first, second, use_continuity=False, method="asymptotic")
    assert dunn_test([first, second], (0, 1)).p_value == pytest.approx(theirs.pvalue)


@pytest.mark.parametrize("seed", SEEDS)
def test_squared_statistics_of_dunn_add_up_to_kruskal_wallis(seed: int) -> None:
    groups = groups_of(seed)
    n = sum(group.size for group in groups)
    ranks = np.split(stats.rankdata(np.concatenate(groups)), np.cumsum([group.size for group in groups])[:-1])
    # H is the weighted spread of mean ranks, which the weighted pairs give too.
    pairs = [
        groups[i].size * groups[j].size / n * dunn_test(groups, (i, j)).estimate ** 2
        for i in range(3)
        for j in range(i)
    ]
    assert sum(pairs) * 12 / (n * (n + 1)) == pytest.approx(stats.kruskal(*groups).statistic)
    assert dunn_test(groups, (0, 1)).estimate == pytest.approx(ranks[0].mean() - ranks[1].mean())


@pytest.mark.parametrize("seed", SEEDS)
def test_games_howell_equals_statsmodels(seed: int) -> None:
    groups = groups_of(seed)
    labels = np.repeat(np.arange(3), [group.size for group in groups])
    theirs = pairwise_tukeyhsd(np.concatenate(groups), labels, use_var="unequal")
    for place, (i, j) in enumerate([(0, 1), (0, 2), (1, 2)]):
        ours = games_howell(groups, (j, i))
        assert (ours.estimate, ours.p_value) == pytest.approx(
            (theirs.meandiffs[place], theirs.pvalues[place]), rel=1e-5
        )
        assert (ours.interval.low, ours.interval.high) == pytest.approx(
            tuple(theirs.confint[place]), rel=1e-4, abs=1e-5
        )


@pytest.mark.parametrize("seed", SEEDS)
def test_the_false_discovery_rate_equals_statsmodels(seed: int) -> None:
    p_values = np.random.default_rng(seed).random(8) ** 2
    assert benjamini_hochberg(p_values) == pytest.approx(multipletests(p_values, method="fdr_bh")[1])


def test_cronbach_alpha_is_the_mean_split_of_standardised_covariances() -> None:
    values = np.random.default_rng(2).normal(size=(40, 5)) + np.random.default_rng(3).normal(size=(40, 1))
    covariance = np.cov(values.T)
    mean_covariance = (covariance.sum() - np.trace(covariance)) / 20
    expected = 5 * mean_covariance / (np.trace(covariance) / 5 + 4 * mean_covariance)
    assert cronbach_alpha(values)[0] == pytest.approx(expected)


@pytest.mark.slow
def test_the_interval_of_alpha_covers_the_population_value() -> None:
    rng = np.random.default_rng(7)
    # Parallel items with variance 1 + 1: alpha of 4 items is 4 * .5 / (1 + 3 * .5) = .8.
    draws = [cronbach_alpha(rng.normal(size=(30, 4)) + rng.normal(size=(30, 1))) for _ in range(2000)]
    assert 0.935 <= np.mean([low <= 0.8 <= high for _, low, high in draws]) <= 0.965


def test_rows_that_do_not_vary_have_no_test() -> None:
    same = np.ones((4, 3))
    assert np.isnan([friedman(same).p_value, cochran_q(same).p_value, chi_square([[3, 0], [4, 0]]).p_value]).all()
    assert np.isnan([dunn_test([[1, 1], [1, 1]], (0, 1)).p_value, cronbach_alpha(same)[0]]).all()
