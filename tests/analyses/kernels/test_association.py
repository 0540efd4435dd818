from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest

from understudy.statistics.agreement import KappaWeights, agreement_table, cohen_kappa
from understudy.statistics.correlation import pearson, spearman
from understudy.statistics.distributions import Alternative
from understudy.statistics.regression import LogOddsModel, fit_logistic, log_odds_test

Lookup = Callable[..., npt.NDArray[np.float64]]
Nominal = Callable[[int, float], tuple[float, float]]
Floats = npt.NDArray[np.float64]


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_correlations_equal_r_on_every_side(alternative: Alternative, column: Lookup, expected: Lookup) -> None:
    x, y = column("pairs", "x"), column("pairs", "y")
    before, after = column("ordinal_pairs", "before"), column("ordinal_pairs", "after")
    results = (pearson(x, y, alternative=alternative), spearman(x, y, alternative=alternative))
    name = f"correlation_{alternative.replace('-', '.')}"
    for result, kind in zip(
        (*results, spearman(before, after, alternative=alternative)), ("pearson", "spearman", "ties"), strict=True
    ):
        assert (result.r, result.p_value) == pytest.approx(expected(name, kind, f"{kind}_p"), rel=1e-6)


@pytest.mark.parametrize(
    ("alternative", "p_values"),
    [
        ("two-sided", [1 / 3, 0.1333333333, 0.0153769841]),
        ("greater", [1 / 6, 0.0666666667, 0.0076884921]),
        ("less", [1.0, 0.9583333333, 0.9946428571]),
    ],
)
def test_few_ranks_are_counted_as_r_counts_them(alternative: Alternative, p_values: list[float]) -> None:
    orders = [1, 2, 3], [2, 1, 4, 3, 5], [2, 1, 4, 3, 6, 8, 5, 7]
    found = [spearman(range(len(order)), order, alternative=alternative).p_value for order in orders]
    assert found == pytest.approx(p_values, rel=1e-8)


@pytest.mark.parametrize("kind", ["pearson", "spearman"])
def test_fisher_intervals_equal_r(kind: str, column: Lookup, expected: Lookup) -> None:
    result = pearson if kind == "pearson" else spearman
    interval = result(column("pairs", "x"), column("pairs", "y")).interval
    assert interval == pytest.approx(expected("correlation_interval", kind), rel=1e-6)


def test_a_constant_variable_has_no_correlation() -> None:
    assert np.isnan([pearson([1, 1, 1], [1, 2, 3]).p_value, spearman([1, 2, 3], [2, 2, 2]).r]).all()


def test_three_pairs_have_a_correlation_but_no_interval() -> None:
    result = pearson([1, 2, 3], [1, 3, 2])
    assert np.isfinite(result.p_value)
    assert np.isnan(result.interval.low)


@pytest.mark.parametrize("weights", ["unweighted", "linear", "quadratic"])
def test_kappa_and_both_standard_errors_equal_fleiss(weights: KappaWeights, column: Lookup, expected: Lookup) -> None:
    table = agreement_table(column("ratings", "first"), column("ratings", "second"))
    result = cohen_kappa(table, weights=weights)
    kappa, error, null_error = expected("kappa", weights)
    assert (result.kappa, result.standard_error, result.statistic) == pytest.approx((kappa, error, kappa / null_error))


def test_raters_with_one_category_have_no_kappa() -> None:
    result = cohen_kappa([[12, 0], [0, 0]])
    assert np.isnan([result.kappa, result.p_value]).all()


def test_logistic_regression_equals_glm(column: Lookup, expected: Lookup) -> None:
    condition = column("crossed", "condition")
    fit = fit_logistic(
        column("crossed", "yes"), np.column_stack([np.ones(condition.size), condition == 1, condition == 2])
    )
    for field in ("coefficients", "standard_errors", "log_likelihood"):
        assert getattr(fit, field) == pytest.approx(expected("logistic", field), rel=1e-6)
    test = log_odds_test(LogOddsModel(fit.coefficients, fit.covariance), [0, 1, 0])
    assert (test.statistic, test.p_value) == pytest.approx(
        (expected("logistic", "z")[1], expected("logistic", "p")[1]), rel=1e-6
    )
    assert test.odds_ratio_interval == pytest.approx(expected("logistic", "odds_ratio_interval"), rel=1e-6)


@pytest.mark.parametrize("answers", [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1], [1, 1, 1, 1, 1, 1]])
def test_separation_is_flagged_and_numbers_withheld(answers: list[int]) -> None:
    x = np.column_stack([np.ones(6), [0, 0, 1, 1, 2, 2]])
    fit = fit_logistic(answers, x)
    assert fit.is_separated
    assert np.isnan(fit.coefficients).all()


def test_predictors_that_follow_from_each_other_are_refused() -> None:
    with pytest.raises(ValueError, match="tell only 2 apart"):
        fit_logistic([0, 1, 1, 0], np.column_stack([np.ones(4), [0, 1, 0, 1], [1, 2, 1, 2]]))


def test_null_correlations_are_rejected_at_the_nominal_rate(nominal: Nominal) -> None:
    rng = np.random.default_rng(14)
    draws = [rng.normal(size=(2, 18)) for _ in range(3000)]
    low, high = nominal(3000, 0.05)
    assert low <= sum(pearson(x, y).p_value < 0.05 for x, y in draws) <= high
    assert low <= sum(spearman(x, y).p_value < 0.05 for x, y in draws) <= high


@pytest.mark.slow
def test_chance_agreement_is_rejected_at_the_nominal_rate(nominal: Nominal) -> None:
    # The z test is asymptotic: 4 to 6 % is allowed at 120 items.
    rng = np.random.default_rng(15)
    tables = (agreement_table(rng.integers(0, 3, 120), rng.integers(0, 3, 120)) for _ in range(2000))
    rejected = sum(cohen_kappa(table).p_value < 0.05 for table in tables)
    assert nominal(2000, 0.04)[0] <= rejected <= nominal(2000, 0.06)[1]


@pytest.mark.slow
def test_null_log_odds_are_rejected_at_the_nominal_rate(nominal: Nominal) -> None:
    # Wald's test is asymptotic and leans to caution: 3.5 to 6 % is allowed at 80 answers.
    rng = np.random.default_rng(16)
    x = np.column_stack([np.ones(80), np.repeat([0.0, 1.0], 40)])
    fits = [fit_logistic(rng.random(80) < 0.6, x) for _ in range(1000)]
    rejected = sum(log_odds_test(LogOddsModel(f.coefficients, f.covariance), [0, 1]).p_value < 0.05 for f in fits)
    assert nominal(1000, 0.035)[0] <= rejected <= nominal(1000, 0.06)[1]
