from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest

from understudy.statistics.anova import OneWayAnova, one_way_anova, welch_anova

Lookup = Callable[..., npt.NDArray[np.float64]]
Nominal = Callable[[int, float], tuple[float, float]]
Test = Callable[[list[npt.NDArray[np.float64]]], OneWayAnova]


WEIGHTED = ("eta_squared", "eta_squared_interval", "omega_squared")
"""What the reference derives from Welch's F, which is not the share of variance that the name says."""


@pytest.mark.parametrize(("test", "name"), [(one_way_anova, "one_way"), (welch_anova, "welch_anova")])
def test_anova_and_effect_sizes_equal_r(test: Test, name: str, column: Lookup, expected: Lookup) -> None:
    groups = [column("groups", "score")[column("groups", "group") == g] for g in range(3)]
    result = test(groups)
    for field in result._fields:
        if name == "one_way" or field not in WEIGHTED:
            assert getattr(result, field) == pytest.approx(expected(name, field), rel=1e-6)


def test_eta_squared_of_welch_is_the_share_of_variance_between_groups() -> None:
    rng = np.random.default_rng(5)
    groups = [rng.normal(0, 0.01, 5), rng.normal(0.02, 0.01, 5), rng.normal(0.0, 5.0, 400)]
    result = welch_anova(groups)
    assert result.eta_squared == pytest.approx(one_way_anova(groups).eta_squared)
    assert result.eta_squared < 0.01 < result.statistic / (result.statistic + result.df_within)
    assert np.isnan(result.omega_squared)


def test_the_interval_of_eta_squared_holds_its_estimate() -> None:
    # At an F of .02 the noncentral F gives the limits 0 and 0.
    result = one_way_anova([[1.0, 2, 3], [1.1, 2, 3], [1.0, 2.1, 3]])
    assert result.eta_squared_interval.low <= result.eta_squared <= result.eta_squared_interval.high


@pytest.mark.parametrize("test", [one_way_anova, welch_anova])
def test_groups_without_spread_have_no_test(test: Test) -> None:
    result = test([np.full(4, 0.1), np.full(3, 0.3)])
    assert np.isnan([result.statistic, result.p_value, result.eta_squared]).all()


@pytest.mark.parametrize(("test", "spreads"), [(one_way_anova, (1, 1, 1)), (welch_anova, (1, 2, 3))])
def test_null_data_are_rejected_at_the_nominal_rate(test: Test, spreads: tuple[int, ...], nominal: Nominal) -> None:
    rng = np.random.default_rng(11)
    sizes = (15, 25, 30)
    draws = [[rng.normal(0, s, n) for s, n in zip(spreads, sizes, strict=True)] for _ in range(2000)]
    low, high = nominal(2000, 0.05)
    assert low <= sum(test(groups).p_value < 0.05 for groups in draws) <= high


def test_interval_of_eta_squared_covers_the_population_value(nominal: Nominal) -> None:
    rng = np.random.default_rng(2)
    means = np.array([0.0, 0.5, 1.0])
    truth = means.var() / (means.var() + 1)
    intervals = [one_way_anova([rng.normal(m, 1, 20) for m in means]).eta_squared_interval for _ in range(1500)]
    low, high = nominal(1500, 0.95)
    assert low <= sum(i.low <= truth <= i.high for i in intervals) <= high


def test_a_single_group_is_refused() -> None:
    with pytest.raises(ValueError, match="1 group was given"):
        one_way_anova([[1.0, 2.0]])


def test_an_empty_group_is_refused() -> None:
    with pytest.raises(ValueError, match="Too few values: 0; at least 2"):
        welch_anova([[1.0, 2.0], []])
