from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest

from understudy.statistics.describe import mean_summary, median_summary, proportion

Lookup = Callable[..., npt.NDArray[np.float64]]
Nominal = Callable[[int, float], tuple[float, float]]


def test_mean_and_its_interval_equal_r(column: Lookup, expected: Lookup) -> None:
    summary = mean_summary(column("pairs", "x"))
    assert (summary.mean, summary.sd) == pytest.approx(expected("describe", "mean", "sd"))
    assert summary.interval == pytest.approx(expected("describe", "interval"), rel=1e-6)


def test_quartiles_equal_r(column: Lookup, expected: Lookup) -> None:
    summary = median_summary(column("pairs", "x"))
    found = (summary.lower_quartile, summary.median, summary.upper_quartile)
    assert found == pytest.approx(expected("describe", "quartiles"), rel=1e-6)


@pytest.mark.parametrize(("successes", "n", "field"), [(8, 10, "wilson"), (0, 9, "wilson_zero")])
def test_wilson_interval_equals_r(successes: int, n: int, field: str, expected: Lookup) -> None:
    assert proportion(successes, n).interval == pytest.approx(expected("describe", field), rel=1e-6, abs=1e-12)


def test_one_value_has_a_mean_but_no_spread() -> None:
    summary = mean_summary([3.0])
    assert summary.mean == 3.0
    assert np.isnan([summary.sd, *summary.interval]).all()


def test_t_interval_covers_the_mean_as_often_as_it_says(nominal: Nominal) -> None:
    rng = np.random.default_rng(1)
    intervals = [mean_summary(rng.normal(5, 2, 8)).interval for _ in range(3000)]
    low, high = nominal(3000, 0.95)
    assert low <= sum(i.low <= 5 <= i.high for i in intervals) <= high


def test_missing_values_are_refused_by_count() -> None:
    with pytest.raises(ValueError, match="2 missing"):
        mean_summary([1.0, np.nan, np.nan])


def test_more_successes_than_answers_are_refused() -> None:
    with pytest.raises(ValueError, match="11 successes of 10"):
        proportion(11, 10)
