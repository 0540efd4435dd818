"""Mean over runs and items: known cases, an independent formula, and how often it errs."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy import stats
from statsmodels.formula.api import ols

from understudy.probe.paired_tests import two_way_mean


def table(n_runs: int, n_items: int, sds: tuple[float, float, float], rng: np.random.Generator) -> np.ndarray:
    run, item, rest = sds
    return (
        rng.normal(0, run, (n_runs, 1)) + rng.normal(0, item, (1, n_items)) + rng.normal(0, rest, (n_runs, n_items))
    )  # fmt: skip


def test_the_error_comes_from_the_mean_squares_of_a_two_way_anova() -> None:
    x = table(5, 20, (1.0, 0.8, 1.0), np.random.default_rng(0))
    long = pd.DataFrame([(r, i, x[r, i]) for r in range(5) for i in range(20)], columns=["run", "item", "y"])
    squares = sm.stats.anova_lm(ols("y ~ C(run) + C(item)", long).fit())["mean_sq"]
    expected = (squares["C(run)"] + squares["C(item)"] - squares["Residual"]) / 100
    assert two_way_mean(x).standard_error == pytest.approx(expected**0.5, rel=1e-10)


def test_without_variance_of_items_it_is_the_t_test_of_run_means() -> None:
    x = np.array([[0.1, 0.3, 0.2, 0.4], [0.4, 0.2, 0.5, 0.1], [0.2, 0.6, 0.4, 0.8]])
    x += np.mean(x) - x.mean(axis=0)
    found, theirs = two_way_mean(x), stats.ttest_1samp(x.mean(axis=1), 0)
    assert found.statistic == pytest.approx(float(theirs.statistic))
    assert found.p_value == pytest.approx(float(theirs.pvalue))


@pytest.mark.parametrize(
    ("n_runs", "sds"),
    [(5, (0.2, 0.5, 1.0)), (5, (0.0, 0.5, 1.0)), (10, (0.2, 0.5, 1.0)), (10, (0.5, 0.0, 1.0)), (5, (0.05, 2.0, 1.0))],
)
def test_it_errs_no_more_often_than_it_says(n_runs: int, sds: tuple[float, float, float]) -> None:
    rng = np.random.default_rng(3)
    wrong = np.mean([two_way_mean(table(n_runs, 40, sds, rng)).p_value < 0.05 for _ in range(1500)])
    assert wrong < 0.075


def test_a_test_of_items_alone_errs_far_more_often() -> None:
    rng = np.random.default_rng(4)
    tables = [table(5, 200, (0.2, 0.5, 1.0), rng) for _ in range(300)]
    alone = np.mean([stats.ttest_1samp(x.mean(axis=0), 0).pvalue < 0.05 for x in tables])
    both = np.mean([two_way_mean(x).p_value < 0.05 for x in tables])
    assert alone > 0.2
    assert both < 0.09


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    rng = np.random.default_rng(5)
    found = [two_way_mean(table(6, 40, (0.3, 0.6, 1.0), rng) + 0.7).interval for _ in range(800)]
    assert 0.93 < np.mean([one.low <= 0.7 <= one.high for one in found]) < 0.98


def test_the_spread_of_runs_and_items_is_recovered() -> None:
    found = two_way_mean(table(300, 300, (0.4, 0.7, 1.0), np.random.default_rng(6)))
    assert found.run_sd == pytest.approx(0.4, abs=0.05)
    assert found.item_sd == pytest.approx(0.7, abs=0.07)


def test_a_table_without_spread_has_no_p_value() -> None:
    assert np.isnan(two_way_mean(np.full((3, 4), 0.25)).p_value)
