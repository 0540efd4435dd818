"""Outcomes of each kind of simulated person in each condition of a rehearsal."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import TypeAlias

import pandas as pd

from understudy.estimate import OutcomeRows
from understudy.schema import AnalysisPlan, KindFigure, KindRow, Outcome
from understudy.tabulate import analysed_sessions

_Group: TypeAlias = tuple[str, str]
"""A condition and a kind."""
_Levels: TypeAlias = tuple[tuple[str, str], ...]
_Figures: TypeAlias = dict[_Group, dict[_Levels, dict[str, KindFigure]]]


def person_kind_rows(
    plan: AnalysisPlan, outcomes: Mapping[str, OutcomeRows], sessions: pd.DataFrame
) -> tuple[KindRow, ...]:
    """Return one row for each condition, kind and combination of levels, for simulated people only."""
    synthetic = sessions[sessions["is_synthetic"].astype(bool)]
    n_came = Counter(_cells(synthetic))
    n_analysed = Counter(_cells(analysed_sessions(synthetic, plan.partial_sessions)))
    figures = _figures(plan, outcomes, synthetic)
    return tuple(
        KindRow(
            condition=cell[0],
            kind=cell[1],
            levels=dict(levels),
            n_came=n,
            n_analysed=n_analysed[cell],
            outcomes=figures_of,
        )
        for cell, n in sorted(n_came.items())
        for levels, figures_of in (figures.get(cell) or {(): {}}).items()
    )


def _cells(sessions: pd.DataFrame) -> list[_Group]:
    return list(zip(sessions["condition"].astype(str), sessions["cast"].astype(str), strict=True))


def _figures(plan: AnalysisPlan, outcomes: Mapping[str, OutcomeRows], sessions: pd.DataFrame) -> _Figures:
    cell_of = dict(zip(sessions["participant"].astype(str), _cells(sessions), strict=True))
    figures: _Figures = defaultdict(lambda: defaultdict(dict))
    for outcome in plan.outcomes:
        rows = outcomes[outcome.name].rows
        if not pd.api.types.is_numeric_dtype(rows["value"]):
            continue
        for (cell, levels), values in _grouped(outcome, rows, cell_of).items():
            column = pd.Series(values)
            sd = float(column.std(ddof=1)) if len(values) > 1 else None
            figures[cell][levels][outcome.name] = KindFigure(n=len(values), mean=float(column.mean()), sd=sd)
    return figures


def _grouped(
    outcome: Outcome, rows: pd.DataFrame, cell_of: Mapping[str, _Group]
) -> dict[tuple[_Group, _Levels], list[float]]:
    values: dict[tuple[_Group, _Levels], list[float]] = defaultdict(list)
    levels = [rows[name].astype(str) for name in outcome.by]
    for participant, value, *row_levels in zip(rows["participant"].astype(str), rows["value"], *levels, strict=True):
        if participant in cell_of:
            values[cell_of[participant], tuple(zip(outcome.by, row_levels, strict=True))].append(float(value))
    return values
