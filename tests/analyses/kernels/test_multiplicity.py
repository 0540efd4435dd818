from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest

from understudy.statistics.multiple_comparisons import bonferroni, holm

Lookup = Callable[..., npt.NDArray[np.float64]]
P_VALUES = [0.001, 0.012, 0.02, 0.04, 0.3, 0.0004, 0.06, 0.5]


def test_adjusted_p_values_equal_r_in_the_order_given(expected: Lookup) -> None:
    assert holm(P_VALUES) == pytest.approx(expected("adjust", "holm"), rel=1e-6)
    assert bonferroni(P_VALUES) == pytest.approx(expected("adjust", "bonferroni"), rel=1e-6)


def test_a_larger_planned_family_equals_r(expected: Lookup) -> None:
    assert holm(P_VALUES, family_size=12) == pytest.approx(expected("adjust", "holm_12"), rel=1e-6)


def test_holm_keeps_the_familywise_error_under_alpha() -> None:
    p = np.random.default_rng(0).random((4000, 5))
    rejected = sum(holm(row).min() < 0.05 for row in p)
    assert rejected / 4000 <= 0.05 + 3.3 * (0.05 * 0.95 / 4000) ** 0.5


def test_missing_p_values_are_refused() -> None:
    with pytest.raises(ValueError, match="none missing"):
        holm([0.1, np.nan])


def test_a_family_smaller_than_its_tests_is_refused() -> None:
    with pytest.raises(ValueError, match="family_size is 1 for 2"):
        bonferroni([0.1, 0.2], family_size=1)
