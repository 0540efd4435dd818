from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest

from understudy.statistics.repeated_anova import repeated_measures_anova
from understudy.statistics.t_tests import t_test_paired

Lookup = Callable[..., npt.NDArray[np.float64]]
Nominal = Callable[[int, float], tuple[float, float]]


def test_effect_and_sphericity_equal_r(column: Lookup, expected: Lookup) -> None:
    scores = np.column_stack([column("repeated", f"w{j}") for j in (1, 2, 3, 4)])
    result = repeated_measures_anova(scores)
    for field in ("statistic", "df", "error_df", "p_value", "p_greenhouse_geisser", "p_huynh_feldt"):
        assert getattr(result.within, field) == pytest.approx(expected("repeated", field), rel=1e-6)
    for field in ("partial_eta_squared", "generalized_eta_squared", "partial_eta_squared_interval"):
        assert getattr(result.within, field) == pytest.approx(expected("repeated", field), rel=1e-6)
    for field in result.sphericity._fields:
        assert getattr(result.sphericity, field) == pytest.approx(expected("repeated_sphericity", field), rel=1e-6)


def test_two_levels_are_a_paired_t_test(column: Lookup) -> None:
    x, y = column("pairs", "x"), column("pairs", "y")
    result = repeated_measures_anova(np.column_stack([x, y]))
    assert result.within.statistic == pytest.approx(t_test_paired(x, y).statistic ** 2)
    assert result.sphericity.greenhouse_geisser == 1.0


def test_constant_differences_have_no_test() -> None:
    result = repeated_measures_anova(np.arange(5.0)[:, None] + np.array([0.1, 0.2, 0.4]))
    assert np.isnan([result.within.p_value, result.sphericity.mauchly_p]).all()


def test_fewer_people_than_contrasts_leave_mauchly_unknown() -> None:
    result = repeated_measures_anova(np.random.default_rng(0).normal(0, 1, (4, 6)))
    assert np.isnan(result.sphericity.mauchly_p)
    assert np.isfinite(result.within.p_greenhouse_geisser)


def test_missing_cells_are_refused() -> None:
    with pytest.raises(ValueError, match="1 missing"):
        repeated_measures_anova([[1.0, 2.0], [np.nan, 1.0]])


def test_spherical_null_data_are_rejected_at_the_nominal_rate(nominal: Nominal) -> None:
    rng = np.random.default_rng(4)
    results = [repeated_measures_anova(rng.normal(0, 1, (12, 1)) + rng.normal(0, 1, (12, 4))) for _ in range(2000)]
    low, high = nominal(2000, 0.05)
    assert low <= sum(r.within.p_value < 0.05 for r in results) <= high
    assert low <= sum(r.sphericity.mauchly_p < 0.05 for r in results) <= high


def test_corrected_p_holds_its_size_where_sphericity_fails(nominal: Nominal) -> None:
    # Greenhouse–Geisser is approximate: at most nominal plus one point is asked of it.
    rng = np.random.default_rng(5)
    spread = np.array([0.3, 0.5, 1.0, 4.0])
    effects = [repeated_measures_anova(rng.normal(0, spread, (20, 4))).within for _ in range(2000)]
    assert sum(e.p_value < 0.05 for e in effects) > nominal(2000, 0.05)[1]
    assert sum(e.p_greenhouse_geisser < 0.05 for e in effects) <= nominal(2000, 0.06)[1]


def test_two_people_have_the_same_epsilon_in_any_order_of_levels() -> None:
    # With two people the denominator of Huynh and Feldt's epsilon is zero but for rounding.
    values = np.array([[0.1, 0.7, 0.3], [0.4, 0.2, 0.9]])
    orders = [(0, 1, 2), (2, 0, 1), (1, 2, 0), (2, 1, 0)]
    assert {repeated_measures_anova(values[:, order]).sphericity.huynh_feldt for order in orders} == {1.0}
