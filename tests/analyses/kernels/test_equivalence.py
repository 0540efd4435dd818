from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest

from understudy.statistics.t_tests import equivalence_independent, equivalence_one_sample, equivalence_paired

Lookup = Callable[..., npt.NDArray[np.float64]]
Nominal = Callable[[int, float], tuple[float, float]]
BOUNDS = (-0.8, 0.8)


def test_paired_tests_and_interval_equal_two_t_tests_in_r(column: Lookup, expected: Lookup) -> None:
    test = equivalence_paired(column("pairs", "x"), column("pairs", "y"), BOUNDS)
    assert (test.p_low, test.p_high) == pytest.approx(expected("tost", "paired_low", "paired_high"), rel=1e-6)
    assert test.p_value == max(test.p_low, test.p_high)
    assert test.interval == pytest.approx(expected("tost", "paired_interval"), rel=1e-6)


def test_one_sample_and_welch_equal_r(column: Lookup, expected: Lookup) -> None:
    x, y = column("pairs", "x"), column("pairs", "y")[:12]
    welch = equivalence_independent(x, y, BOUNDS)
    found = (equivalence_one_sample(x, BOUNDS).p_value, welch.p_value)
    assert found == pytest.approx(expected("tost", "one_sample", "welch"), rel=1e-6)
    assert welch.interval == pytest.approx(expected("tost", "welch_interval"), rel=1e-6)


def test_bounds_in_d_are_pooled_standard_deviations(column: Lookup, expected: Lookup) -> None:
    x, y = column("pairs", "x"), column("pairs", "y")[:12]
    test = equivalence_independent(x, y, (-0.9, 0.9), variances="pooled", units="d")
    assert test.p_value == pytest.approx(expected("tost", "pooled_d"), rel=1e-6)


def test_constant_data_have_no_equivalence_test() -> None:
    assert np.isnan(equivalence_one_sample([0.1] * 4, BOUNDS).p_value)


def test_bounds_in_the_wrong_order_are_refused() -> None:
    with pytest.raises(ValueError, match="first must be smaller"):
        equivalence_one_sample([1.0, 2.0], (1.0, -1.0))


def test_a_true_difference_at_the_bound_is_rejected_at_the_nominal_rate(nominal: Nominal) -> None:
    rng = np.random.default_rng(17)
    tests = [equivalence_independent(rng.normal(1, 1, 40), rng.normal(0, 1, 40), (-1, 1)) for _ in range(3000)]
    low, high = nominal(3000, 0.05)
    assert low <= sum(test.p_value < 0.05 for test in tests) <= high
