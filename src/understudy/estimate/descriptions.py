"""Descriptions: n, mean, spread and interval of an outcome in each group."""

import math
from itertools import product

import numpy as np
import pandas as pd

from understudy.estimate.choices import analyses_in, analysis_from_ref
from understudy.estimate.outcomes import OutcomeRows, hypothesis_rows
from understudy.estimate.rules import condition
from understudy.estimate.variables import Variables
from understudy.roles import Rng
from understudy.schema import AnalysisPlan, Description, DescriptionTable, GroupSummary, Hypothesis, Interval
from understudy.statistics.bootstrap import bootstrap_mean
from understudy.statistics.describe import mean_summary, proportion
from understudy.statistics.distributions import UNKNOWN
from understudy.statistics.distributions import Interval as Limits

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


# Points: the raw values each hypothesis was tested on, for the figures of a report.

COLUMNS = ["hypothesis_id", "participant", "group", "value"]


def points_from_outcomes(plan: AnalysisPlan, outcomes: dict[str, OutcomeRows]) -> pd.DataFrame:
    """Return one row per analysed value; the group is the factor's level, or the second outcome of an association."""
    parts = [_points(hypothesis, _read_rows(hypothesis, plan, outcomes)) for hypothesis in plan.hypotheses]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=COLUMNS)


def _read_rows(hypothesis: Hypothesis, plan: AnalysisPlan, outcomes: dict[str, OutcomeRows]) -> pd.DataFrame:
    """Return the rows of a hypothesis without those of levels that its analysis leaves out."""
    rows = hypothesis_rows(hypothesis, outcomes).rows
    fits = {analysis_from_ref(ref, hypothesis, plan).fit.reads for ref in analyses_in(hypothesis.analysis)}
    if len(fits) > 1:
        return rows
    levels: dict[str, set[str | None]] = {}
    for factor, level in fits.pop():
        levels.setdefault(factor, set()).add(level)
    for factor, read in levels.items():
        if None not in read:
            rows = rows[rows[factor].isin(read)]
    return rows


def _points(hypothesis: Hypothesis, rows: pd.DataFrame) -> pd.DataFrame:
    if hypothesis.other is not None:
        both = ((hypothesis.outcome, "value"), (hypothesis.other, "other"))
        return pd.concat([_frame(hypothesis, rows, pd.Series(name, index=rows.index), column) for name, column in both])
    if hypothesis.factor is not None:
        group = rows[hypothesis.factor].astype(str)
        if hypothesis.crossed_with is not None:
            group = group + ", " + rows[hypothesis.crossed_with].astype(str)
    else:
        group = pd.Series("all", index=rows.index)
    return _frame(hypothesis, rows, group, "value")


def _frame(hypothesis: Hypothesis, rows: pd.DataFrame, group: pd.Series, column: str) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "hypothesis_id": hypothesis.hypothesis_id,
            "participant": rows["participant"].astype(str),
            "group": group,
            "value": rows[column],
        }
        | ({"item": rows["item"].astype(str)} if "item" in rows else {})
    )
