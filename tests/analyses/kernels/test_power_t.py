from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats

from understudy.statistics.t_tests import power_one_sample, power_two_sample

Lookup = Callable[..., npt.NDArray[np.float64]]
Nominal = Callable[[int, float], tuple[float, float]]


def test_power_equals_r_with_both_tails(expected: Lookup) -> None:
    found = (power_two_sample(0.6, (20, 20)), power_one_sample(0.6, 20), power_one_sample(0.1, 12))
    assert found == pytest.approx(expected("power", "two", "one", "small"), rel=1e-6)


def test_one_sided_power_equals_r_and_mirrors(expected: Lookup) -> None:
    above = power_two_sample(0.6, (20, 20), alternative="greater")
    assert above == pytest.approx(expected("power", "two_greater"), rel=1e-6)
    assert above == pytest.approx(power_two_sample(-0.6, (20, 20), alternative="less"))


def test_power_without_an_effect_is_alpha() -> None:
    assert power_two_sample(0.0, (9, 17), alpha=0.03) == pytest.approx(0.03)


def test_simulated_rejections_agree_with_analytic_power(nominal: Nominal) -> None:
    rng = np.random.default_rng(18)
    p = stats.ttest_ind(rng.normal(0.5, 1, (20_000, 24)), rng.normal(0, 1, (20_000, 18)), axis=1).pvalue
    low, high = nominal(20_000, power_two_sample(0.5, (24, 18)))
    assert low <= int((p < 0.05).sum()) <= high


def test_one_person_is_refused() -> None:
    with pytest.raises(ValueError, match="n is 1"):
        power_one_sample(0.5, 1)
