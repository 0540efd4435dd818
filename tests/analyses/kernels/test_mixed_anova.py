from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest

from understudy.statistics.mixed_linear import fit_linear_mixed, lmm_f_test
from understudy.statistics.mixed_terms import random_term
from understudy.statistics.repeated_anova import MixedAnova, SumsOfSquares, mixed_anova

Lookup = Callable[..., npt.NDArray[np.float64]]
Nominal = Callable[[int, float], tuple[float, float]]
DESIGNS = ["split_equal", "split_unequal"]


def result_of(name: str, column: Lookup, sums_of_squares: SumsOfSquares = "III") -> MixedAnova:
    scores = np.column_stack([column(name, f"w{j}") for j in (1, 2, 3)])
    return mixed_anova(scores, column(name, "group"), sums_of_squares=sums_of_squares)


@pytest.mark.parametrize("name", DESIGNS)
def test_between_and_interaction_equal_aov(name: str, column: Lookup, expected: Lookup) -> None:
    result = result_of(name, column)
    for effect in ("between", "interaction"):
        line = getattr(result, effect)
        assert (line.statistic, line.p_value) == pytest.approx(expected(name, effect), rel=1e-6)


@pytest.mark.parametrize("name", DESIGNS)
@pytest.mark.parametrize("kind", ["I", "II", "III"])
def test_within_effect_equals_r_under_each_type(
    name: str, kind: SumsOfSquares, column: Lookup, expected: Lookup
) -> None:
    line = result_of(name, column, kind).within
    reference = expected(name, "within_III" if kind == "III" else "within_I")
    assert (line.statistic, line.p_value) == pytest.approx(reference, rel=1e-6)


@pytest.mark.parametrize("name", DESIGNS)
def test_sphericity_and_corrected_p_equal_r(name: str, column: Lookup, expected: Lookup) -> None:
    result = result_of(name, column)
    shape = result.sphericity
    assert (shape.greenhouse_geisser, shape.huynh_feldt) == pytest.approx(expected(name, "epsilons"), rel=1e-6)
    assert (shape.mauchly_w, shape.mauchly_p) == pytest.approx(expected(name, "mauchly"), rel=1e-6)
    for effect, field in ((result.within, "within_III_corrected"), (result.interaction, "interaction_corrected")):
        found = (effect.p_greenhouse_geisser, effect.p_huynh_feldt)
        assert found == pytest.approx(expected(name, field), rel=1e-6)


@pytest.mark.parametrize("name", DESIGNS)
def test_interaction_equals_the_multivariate_linear_model(name: str, column: Lookup, expected: Lookup) -> None:
    line = result_of(name, column).interaction
    found = (line.statistic, line.p_greenhouse_geisser, line.p_huynh_feldt)
    assert found == pytest.approx(expected(f"{name}_mlm", "interaction"), rel=1e-6)


@pytest.mark.parametrize("name", DESIGNS)
def test_effect_sizes_equal_their_formulas_in_r(name: str, column: Lookup, expected: Lookup) -> None:
    result = result_of(name, column)
    lines = (result.between, result.within, result.interaction)
    for field in ("partial_eta_squared", "generalized_eta_squared"):
        assert [getattr(line, field) for line in lines] == pytest.approx(expected(name, field), rel=1e-6)


def test_type_three_equals_the_random_intercept_model(column: Lookup) -> None:
    # Sum contrasts, REML, Satterthwaite: the figures papers print for a trial × group mixed model.
    name, (n, k) = "split_unequal", (25, 3)
    scores = np.column_stack([column(name, f"w{j}") for j in (1, 2, 3)])
    signs = np.array([[1.0, 0], [0, 1], [-1, -1]])
    group = np.repeat(signs[column(name, "group").astype(int)], k, axis=0)
    level = np.tile(signs, (n, 1))
    cross = (group[:, :, None] * level[:, None, :]).reshape(n * k, 4)
    predictors = np.column_stack([np.ones(n * k), group, level, cross])
    fit = fit_linear_mixed(scores.ravel(), predictors, [random_term(np.repeat(np.arange(n), k))])
    result, rows = mixed_anova(scores, column(name, "group")), np.eye(9)
    for line, chosen in ((result.between, rows[1:3]), (result.within, rows[3:5]), (result.interaction, rows[5:])):
        test = lmm_f_test(fit, chosen)
        assert (test.statistic, test.error_df) == pytest.approx((line.statistic, line.error_df), rel=1e-5)


def test_people_who_never_vary_have_no_within_test() -> None:
    result = mixed_anova(np.repeat([[1.0], [2.0], [4.0], [3.0]], 3, axis=1), ["a", "a", "b", "b"])
    assert np.isnan([result.within.p_value, result.interaction.p_value]).all()
    assert np.isfinite(result.between.p_value)


def test_one_group_is_refused() -> None:
    with pytest.raises(ValueError, match="groups names 1 group"):
        mixed_anova(np.ones((4, 2)), ["a"] * 4)


def test_null_data_in_unequal_groups_are_rejected_at_the_nominal_rate(nominal: Nominal) -> None:
    rng = np.random.default_rng(8)
    groups = np.repeat([0, 1, 2], [5, 12, 8])
    draws = (rng.normal(0, 1, (25, 1)) + rng.normal(0, 1, (25, 3)) for _ in range(2000))
    results = [mixed_anova(scores, groups) for scores in draws]
    low, high = nominal(2000, 0.05)
    for effect in ("between", "within", "interaction"):
        assert low <= sum(getattr(r, effect).p_value < 0.05 for r in results) <= high
