from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt
import pytest

from understudy.statistics.mixed_linear import LinearFit, fit_linear_mixed, lmm_f_test, lmm_t_test
from understudy.statistics.mixed_terms import random_term
from understudy.statistics.t_tests import t_test_paired, t_test_welch

Lookup = Callable[..., npt.NDArray[np.float64]]
Nominal = Callable[[int, float], tuple[float, float]]


def intercepts_fit(
    answers: npt.ArrayLike,
    predictors: npt.ArrayLike,
    groups: Sequence[npt.ArrayLike],
    method: Literal["REML", "ML"] = "REML",
) -> LinearFit:
    return fit_linear_mixed(answers, predictors, [random_term(np.asarray(labels)) for labels in groups], method=method)


def variances(fit: LinearFit) -> npt.NDArray[np.float64]:
    return np.array([covariance[0, 0] for covariance in fit.covariances])


def fit_of(name: str, column: Lookup) -> LinearFit:
    condition = column("crossed", "condition")
    x = np.column_stack([np.ones(condition.size), condition == 1, condition == 2])
    groups = ["person"] if name == "lmm_person" else ["person", "item"]
    answers = column("crossed", "flat" if name == "lmm_boundary" else "score")
    return intercepts_fit(
        answers, x, [column("crossed", g) for g in groups], method="ML" if name == "lmm_ml" else "REML"
    )


@pytest.mark.parametrize("name", ["lmm_crossed", "lmm_ml", "lmm_person", "lmm_boundary"])
def test_fit_equals_lme4_with_missing_cells(name: str, column: Lookup, expected: Lookup) -> None:
    fit = fit_of(name, column)
    for field in ("coefficients", "standard_errors", "residual_variance", "log_likelihood"):
        assert getattr(fit, field) == pytest.approx(expected(name, field), rel=1e-4)
    assert variances(fit) == pytest.approx(np.atleast_1d(expected(name, "variances")), rel=1e-4, abs=1e-8)


def test_a_variance_of_zero_is_said_to_be_at_the_boundary(column: Lookup) -> None:
    assert fit_of("lmm_boundary", column).is_singular
    assert not fit_of("lmm_crossed", column).is_singular


def test_two_levels_per_person_are_a_paired_t_test(column: Lookup) -> None:
    x, y = column("pairs", "x"), column("pairs", "y")
    design = np.column_stack([np.ones(34), np.repeat([1.0, 0.0], 17)])
    fit = intercepts_fit(np.concatenate([x, y]), design, [np.tile(np.arange(17), 2)])
    test, paired = lmm_t_test(fit, [0, 1]), t_test_paired(x, y)
    assert (test.statistic, test.df, test.p_value) == pytest.approx((paired.statistic, 16, paired.p_value), rel=1e-5)
    assert test.interval == pytest.approx(paired.interval, rel=1e-5)


def test_satterthwaite_df_equals_its_definition_by_differences() -> None:
    # df = 2 v² / (g' A g), all derivatives of the likelihood and of v taken numerically over (variances, residual).
    rng = np.random.default_rng(0)
    person = np.repeat(np.arange(9), rng.integers(2, 7, 9))
    x = np.column_stack([np.ones(person.size), person % 2])
    y = rng.normal(0, 1, 9)[person] + rng.normal(0, 1, person.size)
    fit = intercepts_fit(y, x, [person])
    together = (person[:, None] == person).astype(float)

    def parts(theta: npt.NDArray[np.float64]) -> tuple[float, float]:
        inverse = np.linalg.inv(theta[0] * together + theta[1] * np.eye(person.size))
        information = x.T @ inverse @ x
        residual = y - x @ np.linalg.solve(information, x.T @ inverse @ y)
        deviance = residual @ inverse @ residual - np.linalg.slogdet(inverse)[1] + np.linalg.slogdet(information)[1]
        return float(deviance), float(np.linalg.inv(information)[1, 1])

    theta, h = np.array([variances(fit)[0], fit.residual_variance]), 1e-3 * np.eye(2)
    gradient = np.array([(parts(theta + e)[1] - parts(theta - e)[1]) / 2e-3 for e in h])
    hessian = np.array(
        [[sum(s * t * parts(theta + s * a + t * b)[0] for s in (1, -1) for t in (1, -1)) / 4e-6 for a in h] for b in h]
    )
    df = 2 * parts(theta)[1] ** 2 / (gradient @ (2 * np.linalg.inv(hessian)) @ gradient)
    assert lmm_t_test(fit, [0, 1]).df == pytest.approx(df, rel=1e-3)


def test_balanced_groups_of_repeated_answers_are_a_t_test_of_person_means() -> None:
    rng = np.random.default_rng(1)
    scores = rng.normal(0, 1, (12, 1)) + rng.normal(0, 1, (12, 5))
    person = np.repeat(np.arange(12), 5)
    fit = intercepts_fit(scores.ravel(), np.column_stack([np.ones(60), person < 6]), [person])
    means = scores.mean(axis=1)
    test = lmm_t_test(fit, [0, 1])
    assert (test.statistic, test.df) == pytest.approx((t_test_welch(means[:6], means[6:]).statistic, 10), rel=1e-5)


def test_residual_degrees_of_freedom_are_rows_less_coefficients(column: Lookup) -> None:
    fit = fit_of("lmm_crossed", column)
    assert lmm_f_test(fit, [[0, 1, 0], [0, 0, 1]], df_method="residual").error_df == fit.n - 3


def test_answers_that_predictors_explain_entirely_have_no_test() -> None:
    fit = intercepts_fit(np.full(6, 2.0), np.ones((6, 1)), [[1, 1, 2, 2, 3, 3]])
    assert np.isnan(lmm_t_test(fit, [1]).p_value)
    assert np.isnan(lmm_f_test(fit, [[1]]).p_value)


def test_a_factor_with_one_level_is_refused() -> None:
    with pytest.raises(ValueError, match="make 1 group for"):
        intercepts_fit([1.0, 2.0, 4.0], np.ones((3, 1)), [["a", "a", "a"]])


@pytest.mark.slow
def test_null_contrasts_are_rejected_at_the_nominal_rate(nominal: Nominal) -> None:
    # Satterthwaite's df is approximate: one point around the nominal rate is allowed.
    rng = np.random.default_rng(2)
    person, item = (axis.ravel() for axis in np.meshgrid(np.arange(10), np.arange(8), indexing="ij"))
    x = np.column_stack([np.ones(80), person < 5])
    rejected = 0
    for _ in range(600):
        y = rng.normal(0, 1, 10)[person] + rng.normal(0, 1, 8)[item] + rng.normal(0, 1, 80)
        rejected += lmm_t_test(intercepts_fit(y, x, [person, item]), [0, 1]).p_value < 0.05
    assert nominal(600, 0.04)[0] <= rejected <= nominal(600, 0.06)[1]
