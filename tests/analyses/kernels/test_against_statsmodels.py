"""Regressions and agreement equal statsmodels, which understudy does not need: it is the test's independent answer."""

import numpy as np
import pytest
from statsmodels.genmod import families
from statsmodels.genmod.generalized_linear_model import GLM
from statsmodels.regression.linear_model import OLS
from statsmodels.stats.inter_rater import cohens_kappa
from statsmodels.stats.sandwich_covariance import cov_cluster, cov_cluster_2groups

from understudy.statistics.agreement import KappaWeights, cohen_kappa
from understudy.statistics.arrays import Floats
from understudy.statistics.counts import CountFamily, rate_ratio
from understudy.statistics.regression import cluster_robust, fit_logistic

SEEDS = range(8)


def design(seed: int, n: int = 60) -> Floats:
    rng = np.random.default_rng(seed)
    return np.column_stack([np.ones(n), rng.normal(size=(n, 2)) * rng.choice([0.1, 1, 100])])


@pytest.mark.parametrize("seed", SEEDS)
def test_logistic_regression(seed: int) -> None:
    x = design(seed)
    y = np.random.default_rng([seed, 1]).integers(0, 2, len(x))
    ours, theirs = fit_logistic(y, x), GLM(y, x, family=families.Binomial()).fit(tol=1e-14)
    assert ours.coefficients == pytest.approx(theirs.params, rel=1e-9)
    assert ours.covariance.ravel() == pytest.approx(theirs.cov_params().ravel(), rel=1e-6)
    assert ours.log_likelihood == pytest.approx(theirs.llf, rel=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("family", ["poisson", "quasi_poisson", "negative_binomial"])
def test_rate_ratios(family: CountFamily, seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, y = rng.negative_binomial(2, 0.3, 30), rng.poisson(3, 20)
    ours = rate_ratio(x, y, family=family)
    kind = families.NegativeBinomial(alpha=ours.dispersion) if family == "negative_binomial" else families.Poisson()
    predictors = np.column_stack([np.ones(50), np.repeat([1.0, 0.0], [30, 20])])
    theirs = GLM(np.concatenate([x, y]), predictors, family=kind).fit(tol=1e-13)
    scale = (theirs.pearson_chi2 / 48) ** 0.5 if family == "quasi_poisson" else 1.0
    assert ours.log_ratio == pytest.approx(theirs.params[1], rel=1e-8)
    assert ours.standard_error == pytest.approx(theirs.bse[1] * scale, rel=1e-8)


@pytest.mark.parametrize("seed", SEEDS)
def test_errors_clustered_in_one_and_two_ways(seed: int) -> None:
    x, rng = design(seed), np.random.default_rng([seed, 2])
    people, items = rng.integers(0, 9, len(x)), rng.integers(0, 7, len(x))
    y = rng.normal(size=len(x)) + rng.normal(size=9)[people] + x[:, 1] * rng.normal(size=9)[people]
    model = OLS(y, x).fit()
    one, two = cluster_robust(y, x, (people,)), cluster_robust(y, x, (people, items))
    assert one.estimate == pytest.approx(model.params[1], rel=1e-10)
    assert one.standard_error == pytest.approx(cov_cluster(model, people)[1, 1] ** 0.5, rel=1e-10)
    assert two.standard_error == pytest.approx(cov_cluster_2groups(model, people, items)[0][1, 1] ** 0.5, rel=1e-10)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("weights", ["unweighted", "linear", "quadratic"])
def test_kappa(weights: KappaWeights, seed: int) -> None:
    rng = np.random.default_rng(seed)
    size = int(rng.integers(2, 6))
    table = rng.integers(0, 12, (size, size)) + np.eye(size)
    ours = cohen_kappa(table, weights=weights)
    theirs = cohens_kappa(table, wt=None if weights == "unweighted" else weights)
    assert (ours.kappa, ours.standard_error) == pytest.approx((theirs.kappa, theirs.std_kappa), rel=1e-9)
    assert ours.statistic == pytest.approx(theirs.z_value, rel=1e-9)
