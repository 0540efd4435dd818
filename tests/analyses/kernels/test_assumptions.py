from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest

from understudy.statistics.assumptions import levene, shapiro_wilk

Lookup = Callable[..., npt.NDArray[np.float64]]
Nominal = Callable[[int, float], tuple[float, float]]


def test_shapiro_wilk_equals_r_with_and_without_ties(column: Lookup, expected: Lookup) -> None:
    tied = shapiro_wilk(column("groups", "score")[column("groups", "group") == 0])
    plain = shapiro_wilk(column("pairs", "x"))
    found = (tied.statistic, tied.p_value, plain.statistic, plain.p_value)
    assert found == pytest.approx(expected("shapiro", "ties_w", "ties_p", "w", "p"), rel=1e-6)


@pytest.mark.parametrize("centre", ["mean", "median"])
def test_levene_equals_an_anova_of_deviations_in_r(centre: str, column: Lookup, expected: Lookup) -> None:
    groups = [column("groups", "score")[column("groups", "group") == g] for g in range(3)]
    result = levene(groups, centre="mean" if centre == "mean" else "median")
    assert (result.statistic, result.p_value) == pytest.approx(expected("levene", centre), rel=1e-6)


def test_constant_data_have_no_check() -> None:
    assert np.isnan([shapiro_wilk([0.1, 0.1, 0.1]).p_value, levene([[1, 1], [2, 2]]).p_value]).all()


def test_two_values_are_too_few_for_normality() -> None:
    with pytest.raises(ValueError, match="Too few values: 2; at least 3"):
        shapiro_wilk([1.0, 2.0])


def test_null_data_are_rejected_at_the_nominal_rate(nominal: Nominal) -> None:
    # Levene's test is approximate: two points around the nominal rate are allowed.
    rng = np.random.default_rng(13)
    normal = sum(shapiro_wilk(rng.normal(size=20)).p_value < 0.05 for _ in range(3000))
    equal = sum(levene([rng.normal(size=20), rng.normal(size=30)]).p_value < 0.05 for _ in range(2000))
    assert nominal(3000, 0.05)[0] <= normal <= nominal(3000, 0.05)[1]
    assert nominal(2000, 0.03)[0] <= equal <= nominal(2000, 0.07)[1]
