"""Descriptions: n, mean, spread and interval of an outcome in each group."""

import math
from itertools import product

import numpy as np
import pandas as pd

from understudy.analyses.kernels.bootstrap import bootstrap_mean
from understudy.analyses.kernels.describe import mean_summary, proportion
from understudy.analyses.kernels.tails import UNKNOWN
from understudy.analyses.kernels.tails import Interval as Limits
from understudy.estimate.columns import condition
from understudy.estimate.outcomes import OutcomeRows
from understudy.estimate.variables import Variables
from understudy.roles import Rng
from understudy.schema import Description, DescriptionTable, GroupSummary, Interval

_N_RESAMPLES = 10_000


def description_table(
    description: Description, data: OutcomeRows, variables: Variables, *, confidence: float, rng: Rng
) -> DescriptionTable:
    """Describe the rows of an outcome in each combination of levels that occurs."""
    rows = data.rows
    if description.where is not None:
        rows = rows[condition(rows, description.where, f"Description {description.description_id!r}")]
    groups: list[GroupSummary] = []
    # Levels in their declared order; combinations that do not occur are skipped.
    for levels in product(*(variables.factors[name].levels for name in description.by)):
        chosen = rows
        for name, level in zip(description.by, levels, strict=True):
            chosen = chosen[chosen[name] == level]
        if len(chosen) or not description.by:
            name = group_name(levels)
            groups.append(_summary(name, chosen, description.interval, confidence=confidence, rng=rng))
    return DescriptionTable(
        description_id=description.description_id,
        outcome=description.outcome,
        by=description.by,
        groups=tuple(groups),
    )


def group_name(levels: tuple[str, ...]) -> str:
    """Name a group by its levels.

    >>> group_name(("kNN", "wrong")), group_name(())
    ('kNN, wrong', 'all')
    """
    return ", ".join(levels) if levels else "all"


def _summary(name: str, rows: pd.DataFrame, kind: str, *, confidence: float, rng: Rng) -> GroupSummary:
    values = rows["value"].to_numpy(dtype=np.float64)
    if not values.size:
        return GroupSummary(group=name, n=0, mean=None)
    summary = mean_summary(values, level=confidence)
    if kind == "wilson":
        limits = proportion(int(values.sum()), values.size, level=confidence).interval
    elif kind in ("bootstrap", "participants", "participants_and_items"):
        limits = _drawn_limits(rows, kind, confidence=confidence, rng=rng)
    else:
        limits = summary.interval
    return GroupSummary(
        group=name,
        n=summary.n,
        mean=summary.mean,
        sd=None if math.isnan(summary.sd) else summary.sd,
        median=float(np.median(values)),
        interval=None
        if kind == "none" or math.isnan(limits.low)
        else Interval(low=limits.low, high=limits.high, level=confidence),
    )


def _drawn_limits(rows: pd.DataFrame, kind: str, *, confidence: float, rng: Rng) -> Limits:
    """Resample rows, people, or people and items; a single one cannot be resampled."""
    is_crossed = kind == "participants_and_items"
    table = rows[["value"]] if kind == "bootstrap" else _by_person(rows, is_crossed=is_crossed)
    if len(table) < 2:
        return UNKNOWN
    return bootstrap_mean(
        table.to_numpy(dtype=np.float64),
        rng=rng,
        blocks="participants_and_items" if is_crossed else "participants",
        n_resamples=_N_RESAMPLES,
        level=confidence,
    ).interval


def _by_person(rows: pd.DataFrame, *, is_crossed: bool) -> pd.DataFrame:
    """Return a table with one row per person, by item if items are resampled too."""
    people = rows["participant"].astype(str)
    column = rows["item"].astype(str) if is_crossed else people.groupby(people).cumcount()
    long = pd.DataFrame({"person": people, "column": column, "value": rows["value"]})
    # A person who saw an item several times counts with the mean.
    return long.groupby(["person", "column"])["value"].mean().unstack()
