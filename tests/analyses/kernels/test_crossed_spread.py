"""The spread of a mean over crossed people and items: its formula, and what intervals built on it cover."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest

from understudy.statistics.bootstrap import bootstrap_summary, calibrated, crossed_spread, resampled_means

Floats = npt.NDArray[np.float64]
Nominal = Callable[[int, float], tuple[float, float]]
N_STUDIES = 400


def changes(rng: np.random.Generator, *, people: float = 0.15, items: float = 0.15) -> Floats:
    """Changes of 10 people on 16 items: mostly noise of single answers, a little of people and items."""
    both = rng.normal(0, people, (10, 1)) + rng.normal(0, items, (1, 16))
    return np.asarray(np.clip(np.round(both + rng.normal(0, 0.55, (10, 16))), -1, 1), dtype=np.float64)


def test_a_complete_table_has_the_variance_of_its_mean_squares() -> None:
    table = np.random.default_rng(0).normal(0, 1, (6, 5)) + np.arange(6)[:, None] + np.arange(5)
    rows, columns = table.mean(axis=1), table.mean(axis=0)
    left = table - rows[:, None] - columns + table.mean()
    answers = (left**2).sum() / 20 / 30
    found = crossed_spread([table])
    assert found.people == pytest.approx(rows.var(ddof=1) / 6)
    assert found.items == pytest.approx(columns.var(ddof=1) / 5)
    assert found.standard_error**2 == pytest.approx(rows.var(ddof=1) / 6 + columns.var(ddof=1) / 5 - answers)


def test_without_items_the_spread_is_that_of_peoples_means() -> None:
    values = np.random.default_rng(1).normal(0, 1, (12, 1))
    found = crossed_spread([values])
    assert found.standard_error == pytest.approx(values.std(ddof=1) / 12**0.5)
    assert found.df == pytest.approx(11)


def test_items_that_two_groups_share_cancel_out() -> None:
    rng = np.random.default_rng(2)
    items = 3 * rng.normal(size=(1, 20))
    groups = [items + rng.normal(size=(15, 20)) for _ in range(2)]
    assert crossed_spread(groups).standard_error < 0.2 < crossed_spread(groups[:1]).standard_error


def test_people_without_any_answer_change_nothing() -> None:
    table = changes(np.random.default_rng(3))
    longer = np.vstack([table, np.full((2, 16), np.nan)])
    assert crossed_spread([longer]) == pytest.approx(crossed_spread([table]))


def test_calibrated_resamples_keep_their_order() -> None:
    rng = np.random.default_rng(4)
    table = changes(rng)
    drawn = resampled_means(table, rng=rng, blocks="participants_and_items", n_resamples=500)
    moved = calibrated(drawn, float(table.mean()), crossed_spread([table]))
    assert (np.argsort(moved, kind="stable") == np.argsort(drawn, kind="stable")).all()
    assert moved.std() < drawn.std()


def test_constant_resamples_stay_as_they_are() -> None:
    table = np.ones((4, 3))
    assert (calibrated(np.ones(10), 1.0, crossed_spread([table])) == 1).all()


@pytest.mark.parametrize(("people", "items"), [(0.0, 0.0), (0.15, 0.15), (0.3, 0.05), (0.05, 0.3)])
def test_calibrated_intervals_cover_as_stated_and_rarely_err(people: float, items: float, nominal: Nominal) -> None:
    rng = np.random.default_rng(5)
    covered = rejected = 0
    for _ in range(N_STUDIES):
        table = changes(rng, people=people, items=items)
        drawn = resampled_means(table, rng=rng, blocks="participants_and_items", n_resamples=400)
        estimate = float(table.mean())
        moved = calibrated(drawn, estimate, crossed_spread([table]))
        found = bootstrap_summary(estimate, moved, alternative="two-sided", level=0.95)
        covered += found.interval.low <= 0 <= found.interval.high
        rejected += found.p_centred < 0.05
    assert nominal(N_STUDIES, 0.93)[0] <= covered <= nominal(N_STUDIES, 0.97)[1]
    assert rejected <= nominal(N_STUDIES, 0.06)[1]
