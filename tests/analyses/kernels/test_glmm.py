import time
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest
from scipy import special, stats

from understudy.statistics.change import fit_glmm_batch
from understudy.statistics.crossed_logistic import LogisticMixedFit, fit_glmm
from understudy.statistics.regression import LogOddsModel, log_odds_test

Lookup = Callable[..., npt.NDArray[np.float64]]
Nominal = Callable[[int, float], tuple[float, float]]
MODELS = ["glmm_crossed", "glmm_person", "glmm_boundary"]


def fit_of(name: str, column: Lookup) -> LogisticMixedFit:
    condition = column("crossed", "condition")
    x = np.column_stack([np.ones(condition.size), condition == 1, condition == 2])
    answers = column("crossed", "coin" if name == "glmm_boundary" else "yes")
    if name == "glmm_person":
        return fit_glmm(answers, x[:, :1], [column("crossed", "person")])
    return fit_glmm(answers, x, [column("crossed", "person"), column("crossed", "item")])


@pytest.mark.parametrize("name", MODELS)
def test_fit_equals_glmer(name: str, column: Lookup, expected: Lookup) -> None:
    fit = fit_of(name, column)
    for field in ("coefficients", "standard_errors", "variances", "log_likelihood"):
        found = np.atleast_1d(getattr(fit, field))
        assert found == pytest.approx(np.atleast_1d(expected(name, field)), rel=1e-4, abs=1e-7)
    assert fit.modes[0] == pytest.approx(expected(name, "person_modes"), rel=1e-3, abs=1e-5)
    assert fit.is_converged


def test_a_variance_of_zero_is_said_to_be_at_the_boundary(column: Lookup) -> None:
    fit = fit_of("glmm_boundary", column)
    assert fit.is_boundary
    assert fit.variances[0] == 0.0


def test_batch_equals_glmer_in_every_data_set(column: Lookup, expected: Lookup) -> None:
    shape = (12, 8, 2)
    x = np.stack([np.ones((8, 2)), np.tile([0.0, 1.0], (8, 1))], axis=-1)
    fit = fit_glmm_batch(column("counts", "k").reshape(shape), column("counts", "trials").reshape(shape), x)
    found = {
        "intercept": fit.coefficients[:, 0],
        "effect": fit.coefficients[:, 1],
        "intercept_error": fit.standard_errors[:, 0],
        "effect_error": fit.standard_errors[:, 1],
        "variance": fit.variances,
        "log_likelihood": fit.log_likelihoods,
    }
    for field, values in found.items():
        assert values == pytest.approx(expected("glmm_batch", field), rel=1e-4, abs=1e-6), field


def test_batch_equals_single_fits_of_the_same_answers() -> None:
    rng = np.random.default_rng(0)
    k = rng.binomial(12, special.expit(rng.normal(0.3, 0.9, (6, 15))))
    batch = fit_glmm_batch(k, 12)
    person = np.repeat(np.arange(15), 12)
    for row, counts in enumerate(k):
        single = fit_glmm(np.tile(np.arange(12), 15) < np.repeat(counts, 12), np.ones((180, 1)), [person])
        found = (batch.coefficients[row, 0], batch.standard_errors[row, 0], batch.log_likelihoods[row])
        assert found == pytest.approx(
            (single.coefficients[0], single.standard_errors[0], single.log_likelihood), rel=1e-5
        )


def test_alike_answers_are_flagged_and_withheld_from_the_batch() -> None:
    fit = fit_glmm_batch([[0, 0, 0], [10, 10, 10], [3, 5, 8]], 10)
    assert fit.is_converged.tolist() == [False, False, True]
    assert np.isnan(fit.coefficients[:2]).all()


def test_separated_answers_are_flagged() -> None:
    fit = fit_glmm([0, 0, 1, 1], np.column_stack([np.ones(4), [0, 0, 1, 1]]), [["a", "b", "a", "b"]])
    assert fit.is_separated
    assert np.isnan(log_odds_test(LogOddsModel(fit.coefficients, fit.covariance), [0, 1]).p_value)


def test_counts_above_trials_are_refused() -> None:
    with pytest.raises(ValueError, match="above trials"):
        fit_glmm_batch([[11, 3]], 10)


def test_ten_thousand_fits_take_a_second_or_so() -> None:
    # lme4's glmer needs about 610 s for these (BENCHMARKS): 500 times faster is 1.2 s.
    rng = np.random.default_rng(1)
    k = rng.binomial(192, special.expit(rng.normal(0.7, 0.3, (10_000, 5))))
    start = time.process_time()
    fit = fit_glmm_batch(k, 192)
    assert time.process_time() - start < 1.2
    assert fit.is_converged.all()


def test_null_conditions_are_rejected_at_the_nominal_rate(nominal: Nominal) -> None:
    # Wald's z is asymptotic: 4 to 6 % is allowed with 40 people of 12 answers per condition.
    rng = np.random.default_rng(2)
    eta = np.repeat(rng.normal(0.4, 0.8, (2000, 40, 1)), 2, axis=2)
    x = np.stack([np.ones((40, 2)), np.tile([0.0, 1.0], (40, 1))], axis=-1)
    fit = fit_glmm_batch(rng.binomial(12, special.expit(eta)), 12, x)
    z = fit.coefficients[:, 1] / fit.standard_errors[:, 1]
    rejected = int((2 * stats.norm.sf(np.abs(z)) < 0.05).sum())
    assert nominal(2000, 0.04)[0] <= rejected <= nominal(2000, 0.06)[1]


def test_a_known_effect_is_recovered_from_crossed_answers() -> None:
    rng = np.random.default_rng(3)
    person, item = (axis.ravel() for axis in np.meshgrid(np.arange(40), np.arange(30), indexing="ij"))
    condition = ((person + item) % 2).astype(float)
    eta = -0.2 + 0.8 * condition + rng.normal(0, 0.7, 40)[person] + rng.normal(0, 0.5, 30)[item]
    fit = fit_glmm(rng.random(1200) < special.expit(eta), np.column_stack([np.ones(1200), condition]), [person, item])
    interval = log_odds_test(LogOddsModel(fit.coefficients, fit.covariance), [0, 1], level=0.999).interval
    assert interval.low < 0.8 < interval.high


def test_a_factor_with_one_level_is_refused() -> None:
    with pytest.raises(ValueError, match="make 1 group for"):
        fit_glmm([0, 1, 1], np.ones((3, 1)), [["a", "a", "a"]])


def test_groups_that_are_equal_are_merged_without_changing_a_fit() -> None:
    rng = np.random.default_rng(8)
    x = np.column_stack([np.ones(30), np.repeat([0.0, 1.0], 15)])
    counts = rng.binomial(6, 0.6, (40, 30))
    merged = fit_glmm_batch(counts, 6, x)
    # A second cell without answers adds nothing to the likelihood, and groups of two cells are not merged.
    empty, twice = np.zeros((40, 30)), np.stack([x, x], axis=1)
    apart = fit_glmm_batch(np.stack([counts, empty], axis=-1), np.array([6.0, 0.0]), twice)
    for one, other in zip(merged, apart, strict=True):
        assert one.astype(float) == pytest.approx(other.astype(float), rel=1e-8, abs=1e-10, nan_ok=True)


def test_a_variance_of_a_rounding_error_is_at_the_boundary() -> None:
    fit = fit_glmm_batch(np.random.default_rng(1).binomial(40, 0.6, (2000, 5)), 40)
    assert not ((fit.variances > 0) & (fit.variances < 1e-9)).any()
    assert (fit.is_boundary == (fit.variances == 0)).all()
