"""Descriptions: plain figures with the interval that was asked for."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.estimate.plan_samples import outcome, plan, results, sample_tables
from understudy.estimate import Tables
from understudy.schema import Description, DescriptionTable
from understudy.statistics.bootstrap import bootstrap_mean


def described(tables: Tables | None = None, **fields: object) -> DescriptionTable:
    description = Description.model_validate({"description_id": "d", "outcome": "accuracy", **fields})
    outcomes = (outcome(), outcome("trials", summary=None), outcome("by_kind", by=("kind",)))
    return results(plan(outcomes=outcomes, descriptions=(description,)), tables).descriptions[0]


def test_groups_come_in_the_order_of_their_levels() -> None:
    assert [group.group for group in described(by=("method",)).groups] == ["lime", "shap", "none"]


def test_crossed_groups_are_named_by_both_levels() -> None:
    groups = described(outcome="by_kind", by=("help", "kind")).groups
    assert [group.group for group in groups] == ["with, easy", "with, hard", "without, easy", "without, hard"]


def test_figures_are_those_of_numpy() -> None:
    group = described().groups[0]
    values = sample_tables().trials.groupby("participant")["correct"].mean().to_numpy()
    assert (group.group, group.n) == ("all", 12)
    assert (group.mean, group.sd, group.median) == pytest.approx((values.mean(), values.std(ddof=1), np.median(values)))


def test_where_chooses_rows() -> None:
    assert described(where="help == 'with'").groups[0].n == 6


def test_wilson_limits_stay_inside_0_and_1() -> None:
    tables = sample_tables()
    tables.trials["correct"] = 1.0
    interval = described(tables, outcome="trials", interval="wilson").groups[0].interval
    assert interval is not None
    assert (interval.low, interval.high) == pytest.approx((0.9615, 1.0), abs=1e-4)


def test_the_bootstrap_interval_is_close_to_the_normal_one() -> None:
    group = described(outcome="trials", interval="bootstrap").groups[0]
    assert group.interval is not None
    assert group.mean is not None
    assert group.sd is not None
    margin = 1.96 * group.sd / np.sqrt(group.n)
    assert (group.interval.low, group.interval.high) == pytest.approx(
        (group.mean - margin, group.mean + margin), abs=0.01
    )


def test_an_interval_can_be_left_out() -> None:
    assert described(interval="none").groups[0].interval is None


def test_one_value_has_no_spread() -> None:
    tables = sample_tables(n_people=1)
    group = described(tables).groups[0]
    assert (group.n, group.sd, group.interval) == (1, None, None)


def test_no_rows_make_an_empty_group() -> None:
    tables = sample_tables()
    tables.trials["correct"] = pd.Series(np.nan, index=tables.trials.index)
    assert described(tables).groups[0].n == 0


@pytest.mark.parametrize("kind", ["participants", "participants_and_items"])
def test_intervals_over_people_are_those_of_the_block_bootstrap(kind: Any) -> None:
    group = described(outcome="trials", interval=kind).groups[0]
    table = sample_tables().trials.pivot_table(index="participant", columns="item", values="correct", observed=True)
    drawn = bootstrap_mean(table.to_numpy(), rng=np.random.default_rng(1), blocks=kind)
    assert group.interval is not None
    assert (group.interval.low, group.interval.high) == pytest.approx(tuple(drawn.interval), abs=0.012)


def test_a_single_person_has_no_interval_over_people() -> None:
    described_alone = described(sample_tables(n_people=1), outcome="trials", interval="participants")
    assert described_alone.groups[0].interval is None
