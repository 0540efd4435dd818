"""Ids that may not tell people apart, such as numbers that begin anew in each group of a table."""

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from understudy.deferred.scipy import special
from understudy.estimate.tables import Tables
from understudy.schema import Reanalysis
from understudy.statistics.distributions import p_from_f

_COUNTED = re.compile(r"^(\D*)(\d+)$")
_PLACE = re.compile(r"(?:^|_|\b)(?:idx|index|slot|replicate|rep|rank|position|row|order)(?:$|_|\b)", re.IGNORECASE)
"""Names of columns that count within something, such as human_idx."""
_PERSONAL = re.compile(
    r"^(?:gender|sex|age|birth_?year|education|degree|country|nationality|ethnicity|native_?language|"
    r"(?:worker|prolific|participant|subject|user|person|rater|annotator)_?(?:id|pid|code)?)$",
    re.IGNORECASE,
)
"""Names of columns that have one value a person."""
_CLEARLY = 0.001
"""The p-value below which ids whose column is named like a place, such as human_idx, are people all the same."""
_FEWEST, _MOST_LEVELS = 3, 1000
_RELIABLE, _KEPT = 0.4, 0.6
"""How reliably ids must differ at each value of a column, and the share of it that people keep between values at least."""
_ALIKE = 0.03
"""The share of variance between ids below which they do not behave like people, whatever is asked."""


def id_cautions(reanalysis: Reanalysis, raw: pd.DataFrame, tables: Tables) -> Iterator[str]:
    """Yield why the column of participants may not tell people apart, with the strongest reason only."""
    column = reanalysis.table.participant
    ids = raw[column].astype(str)
    measured = {measure.value or measure.name for measure in reanalysis.measures}
    groups = _groups(raw.drop(columns=[name for name in raw.columns if name in measured]), ids, column)
    reason = next(
        filter(None, (_personal(raw, ids, column), _anew(groups), _unlike(reanalysis, ids, groups, tables))),
        None,
    )
    if reason is not None:
        yield (
            f"Column {column!r} may not tell people apart: {reason}. If one id stands for different people, answers of "
            "different people are compared as if they were one person's, and p-values are wrong. Give each person an id of "
            "their own, such as the group and the number together."
        )


def _groups(raw: pd.DataFrame, ids: "pd.Series[str]", column: str) -> dict[str, list[set[str]]]:
    """Return the ids at each level of every column in which ids come back, the finest first."""
    found: dict[str, list[set[str]]] = {}
    for name in raw.columns:
        n_levels = raw[name].nunique()
        if name == column or not 2 <= n_levels <= min(_MOST_LEVELS, len(raw) // _FEWEST):
            continue
        members = [set(part) for _, part in ids.groupby(raw[name], sort=False)]
        if sum(map(len, members)) > ids.nunique():
            found[str(name)] = members
    return dict(sorted(found.items(), key=lambda pair: -len(pair[1])))


def _personal(raw: pd.DataFrame, ids: "pd.Series[str]", column: str) -> str:
    for name in raw.columns:
        if name != column and _PERSONAL.match(str(name)):
            n_values = raw[name].groupby(ids).nunique()
            # Somebody may have a birthday, or correct an answer.
            several = n_values[n_values > 2]
            if (len(several) > n_values.size / 10 and raw[name].nunique() > 2) or (n_values > 1).mean() > 0.25:
                n = int((n_values > 1).sum())
                return f"{n} of {n_values.size} ids have several values of {name!r}"
    return ""


def _counted(members: set[str]) -> tuple[int, int] | None:
    """Return the first and the last number of ids that count without a gap, such as 0 to 25; None for others."""
    found = [_COUNTED.match(one) for one in members]
    if len(members) < _FEWEST or not all(found) or len({one[1] for one in found if one}) != 1:
        return None
    numbers = {int(one[2]) for one in found if one}
    first, last = min(numbers), max(numbers)
    return (first, last) if first in (0, 1) and len(numbers) == last - first + 1 == len(members) else None


def _anew(groups: dict[str, list[set[str]]]) -> str:
    """Say that ids count from the first number in each level of a column, and to different last ones."""
    for name, members in reversed(groups.items()):
        spans = [_counted(part) for part in members]
        known = [span for span in spans if span is not None]
        lasts = [last for _, last in known]
        if len(known) == len(spans) and len({first for first, _ in known}) == 1 and max(lasts) - min(lasts) > 1:
            return (
                f"its numbers begin anew at each value of {name!r} and go to different last ones (from {min(lasts)} to "
                f"{max(lasts)})"
            )
    return ""


def _unlike(reanalysis: Reanalysis, ids: "pd.Series[str]", groups: dict[str, list[set[str]]], tables: Tables) -> str:
    """Say that ids count from 0 or 1 at each value of a column, and that answers of one id do not go together."""
    everybody = set(ids)
    name = next((name for name, members in groups.items() if all(part == everybody for part in members)), None)
    if name is None or _counted(everybody) is None:
        return ""
    trials = tables.trials
    cells = [
        cell for cell in dict.fromkeys((*(factor.name for factor in reanalysis.factors), "item")) if cell in trials
    ]
    by_name = bool(_PLACE.search(reanalysis.table.participant))
    measures = [measure.name for measure in reanalysis.measures if measure.scale != "nominal"]
    likeness = [found for measure in measures if (found := _likeness(trials, measure, cells)) is not None]
    apart = [level for level in groups if level in trials and _are_apart(trials, measures, cells, level)]
    if apart:
        return (
            f"its numbers are the same at every value of {apart[0]!r}, but who answers high at one of them is not who answers "
            "high at another"
        )
    if likeness and all(high < _ALIKE or (by_name and p > _CLEARLY) for p, high in likeness):
        return (
            f"its numbers are the same at every value of {name!r}, and answers with one number are no more alike than answers "
            "with different ones"
        )
    return ""


def _likeness(trials: pd.DataFrame, measure: str, cells: list[str]) -> tuple[float, float] | None:
    """Return the p-value of ids in a one-way analysis of variance, and the upper 95 % limit of their share of variance.

    What is asked in a cell is taken out first. The limit is that of an intraclass correlation (Shrout & Fleiss 1979).
    """
    rows = trials[["participant", *cells, measure]].dropna()
    values: pd.Series[Any] = rows[measure].astype(float)
    n_cells = 1
    if cells:
        by_cell = values.groupby([rows[cell] for cell in cells])
        values, n_cells = values - by_cell.transform("mean"), by_cell.ngroups
    of_id = values.groupby(rows["participant"])
    n, n_ids = len(values), of_id.ngroups
    df = (n_ids - 1, n - n_ids - n_cells + 1)
    if n_ids < _FEWEST or df[1] < _FEWEST:
        return None
    between = float((of_id.mean() ** 2 * of_id.size()).sum())
    within = float((values**2).sum()) - between
    if within <= 0:
        return None
    ratio = between / df[0] / (within / df[1])
    size = n / n_ids
    most = ratio * float(special.fdtri(df[1], df[0], 0.975))
    return p_from_f(ratio, df), float(np.clip((most - 1) / (most - 1 + size), 0, 1))


def _are_apart(trials: pd.DataFrame, measures: list[str], cells: list[str], level: str) -> bool:
    """Tell whether ids differ reliably at each value of a column, and yet do not go together between its values.

    People keep some of what they differ in from one condition to another; numbers that begin anew do not.
    """
    for measure in measures:
        rows = trials[["participant", *dict.fromkeys((*cells, level)), measure]].dropna()
        values: pd.Series[Any] = rows[measure].astype(float)
        values = values - values.groupby([rows[cell] for cell in dict.fromkeys((*cells, level))]).transform("mean")
        of_cell = values.groupby([rows["participant"], rows[level]])
        means = of_cell.mean().unstack().dropna()
        sizes = of_cell.size()
        if means.shape[0] < _FEWEST or means.shape[1] < 2 or float(sizes.mean()) < 2:
            continue
        error = float(of_cell.var().mean()) / float(sizes.mean())
        total = float(means.var().mean())
        reliability = 1 - error / total if total > 0 else 0.0
        n, k = means.shape
        between = k * float(means.mean(axis=1).var())
        rest = max((total * k - between) / (k - 1), 1e-300)
        most = between / rest * float(special.fdtri((n - 1) * (k - 1), n - 1, 0.975))
        if reliability > _RELIABLE and (most - 1) / (most - 1 + k) < _KEPT * reliability:
            return True
    return False
