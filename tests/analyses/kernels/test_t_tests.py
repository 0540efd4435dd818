from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest

from understudy.statistics.distributions import Alternative
from understudy.statistics.t_tests import TTest, t_test_independent, t_test_one_sample, t_test_paired, t_test_welch

Lookup = Callable[..., npt.NDArray[np.float64]]
Nominal = Callable[[int, float], tuple[float, float]]


def all_four(column: Lookup, alternative: Alternative) -> dict[str, TTest]:
    x, y = column("pairs", "x"), column("pairs", "y")
    return {
        "one_sample": t_test_one_sample(x, mean=0.2, alternative=alternative),
        "paired": t_test_paired(x, y, alternative=alternative),
        "independent": t_test_independent(x, y[:12], alternative=alternative),
        "welch": t_test_welch(x, y[:12], alternative=alternative),
    }


@pytest.mark.parametrize("kind", ["one_sample", "paired", "independent", "welch"])
def test_test_and_effect_equal_r(kind: str, column: Lookup, expected: Lookup) -> None:
    test = all_four(column, "two-sided")[kind]
    name = f"t_{kind}"
    for field in ("statistic", "df", "p_value", "interval"):
        assert getattr(test, field) == pytest.approx(expected(name, field), rel=1e-6)
    assert test.d.d == pytest.approx(expected(name, "d"), rel=1e-6)
    assert test.d.interval == pytest.approx(expected(name, "d_interval"), rel=1e-6)
    assert test.d.hedges_g == pytest.approx(expected(name, "g"), rel=1e-6)


@pytest.mark.parametrize("alternative", ["greater", "less"])
@pytest.mark.parametrize("kind", ["one_sample", "paired", "independent", "welch"])
def test_one_sided_p_equals_r(kind: str, alternative: Alternative, column: Lookup, expected: Lookup) -> None:
    test = all_four(column, alternative)[kind]
    assert test.p_value == pytest.approx(expected(f"t_sided_{alternative}", kind), rel=1e-6)


def test_d_average_of_pairs_equals_its_formula_in_r(column: Lookup, expected: Lookup) -> None:
    effect = all_four(column, "two-sided")["paired"].d_average
    assert effect is not None
    assert effect.d == pytest.approx(expected("t_paired", "d_average"), rel=1e-6)
    assert effect.interval == pytest.approx(expected("t_paired", "d_average_interval"), rel=1e-6)


def test_constant_data_keep_the_estimate_and_lose_the_test() -> None:
    tests = (
        t_test_one_sample([0.1] * 5),
        t_test_paired([1.1, 2.1, 3.1], [1.0, 2.0, 3.0]),
        t_test_welch([2, 2], [1, 1]),
    )
    assert [round(test.estimate, 6) for test in tests] == [0.1, 0.1, 1.0]
    assert np.isnan([[test.statistic, test.p_value, test.d.d] for test in tests]).all()


def test_huge_t_still_has_an_interval_around_d() -> None:
    rng = np.random.default_rng(0)
    effect = t_test_one_sample(1000 + rng.normal(0, 1, 50)).d
    assert effect.interval.low < effect.d < effect.interval.high


def test_too_few_values_are_refused() -> None:
    with pytest.raises(ValueError, match="Too few values: 1; at least 2"):
        t_test_welch([1.0], [2.0, 3.0])


def test_unequal_pairs_are_refused() -> None:
    with pytest.raises(ValueError, match="pairs need equally many"):
        t_test_paired([1.0, 2.0], [1.0, 2.0, 3.0])


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["one_sample", "paired", "independent", "welch"])
def test_null_data_are_rejected_at_the_nominal_rate(kind: str, nominal: Nominal) -> None:
    rng = np.random.default_rng(7)
    draws: dict[str, Callable[[], TTest]] = {
        "one_sample": lambda: t_test_one_sample(rng.normal(0, 1, 9)),
        "paired": lambda: t_test_paired(rng.normal(0, 1, 9), rng.normal(0, 2, 9)),
        "independent": lambda: t_test_independent(rng.normal(0, 1, 9), rng.normal(0, 1, 14)),
        "welch": lambda: t_test_welch(rng.normal(0, 1, 20), rng.normal(0, 2, 24)),
    }
    low, high = nominal(2000, 0.05)
    assert low <= sum(draws[kind]().p_value < 0.05 for _ in range(2000)) <= high


def test_interval_of_d_covers_the_true_effect(nominal: Nominal) -> None:
    rng = np.random.default_rng(3)
    pooled = [t_test_independent(rng.normal(0.7, 1, 12), rng.normal(0, 1, 9)).d.interval for _ in range(2000)]
    low, high = nominal(2000, 0.95)
    assert low <= sum(i.low <= 0.7 <= i.high for i in pooled) <= high
