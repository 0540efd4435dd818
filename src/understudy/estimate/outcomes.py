"""Outcomes: rows that are filtered, summarised and joined with the factors, and what is lost on the way."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from understudy.errors import PlanError
from understudy.estimate.rules import judged
from understudy.estimate.tables import PlanTables
from understudy.estimate.variables import Variables
from understudy.measures.behaviour import gain
from understudy.schema import AnalysisPlan, Hypothesis, Outcome, Summary, names_in

# Losses: how much was left out on the way to an outcome's rows, as a sentence.

_WITHOUT = "Left out: {n} of {n_all} {unit} without {lacking}."


class Loss(NamedTuple):
    """How many of how many were left out, and what they lack; `words` can say it another way."""

    n: int
    n_all: int
    unit: str
    lacking: str
    words: str = _WITHOUT

    @property
    def sentence(self) -> str:
        """Return the loss as a note."""
        return self.words.format(**self._asdict())


# Partial sessions: how answers of people who left early count, and which items are complete.

_OF_ANY_PART = frozenset({None, "mean", "median", "first"})
"""Summaries that mean the same over part of a person's answers as over all; a sum or a last value does not."""
_EARLY = "Of all {n_all} {unit} with {lacking}, {n} left early and count with the answers they gave."


def with_partial(
    outcome: Outcome, table: pd.DataFrame, partial: frozenset[str], *, is_session: bool
) -> tuple[pd.DataFrame, tuple[Loss, ...]]:
    """Keep people who left early if part of the answers can represent all, and count them."""
    if not partial:
        return table, ()
    is_partial = table["participant"].astype(str).isin(partial)
    n = int(table["participant"][is_partial].nunique())
    n_all = int(table["participant"].nunique())
    if outcome.summary in _OF_ANY_PART and not is_session:
        return table, (Loss(n, n_all, "participants", repr(outcome.name), _EARLY),)
    return table[~is_partial], (Loss(n, n_all, "participants", f"a finished session, which {outcome.name!r} needs"),)


def with_complete_items(
    outcome: Outcome, table: pd.DataFrame, variables: Variables
) -> tuple[pd.DataFrame, tuple[Loss, ...]]:
    """Keep the items that a person answered at every level of a factor; rows without a value stay to be counted."""
    factor = outcome.complete_over
    if factor is None:
        return table, ()
    levels = variables.factors[factor].levels
    others = [name for name in variables.factors_of_scope("within") if name != factor and name in table.columns]
    cell = table.groupby(["participant", "item", *others], observed=True, dropna=False, sort=False).ngroup()
    has_value = table[outcome.measure].notna()
    answered = has_value & table[factor].notna() & table["item"].notna()
    answered_levels = pd.DataFrame({"cell": cell, "level": table[factor]})[answered].drop_duplicates()
    # Rows are distinct levels of a cell, so counting rows counts levels.
    n_levels = np.bincount(
        answered_levels["cell"].to_numpy(dtype=np.int64), minlength=int(cell.max()) + 1 if len(cell) else 0
    )
    is_complete = pd.Series(n_levels[cell.to_numpy(dtype=np.int64)] == len(levels), index=table.index)
    lost = has_value & ~is_complete
    lacking = f"an answer to the same item at every level of {factor!r} ({', '.join(levels)})"
    return table[~lost], (Loss(int(lost.sum()), int(has_value.sum()), "answers", lacking),)


@dataclass(frozen=True)
class OutcomeRows:
    """Rows with participant, value, factors and item, and what was left out."""

    rows: pd.DataFrame
    losses: tuple[Loss, ...] = ()
    is_by_trial: bool = False

    @property
    def notes(self) -> tuple[str, ...]:
        """Return one sentence for each kind of loss."""
        return tuple(dict.fromkeys(loss.sentence for loss in self.losses if loss.n))


def plan_outcomes(plan: AnalysisPlan, tables: PlanTables, variables: Variables) -> dict[str, OutcomeRows]:
    """Return the rows of every outcome of a plan, after one pass over the trials and one over the answers."""
    parts: dict[str, list[OutcomeRows]] = {}
    for unit, table in (("trial", tables.trial_parts), ("question", tables.answer_parts)):
        of_unit = [outcome for outcome in plan.outcomes if variables.measures[outcome.measure].unit == unit]
        parts |= {outcome.name: [] for outcome in of_unit}
        for rows in table() if of_unit else ():
            for outcome in of_unit:
                parts[outcome.name].append(outcome_rows(outcome, rows, variables, partial=tables.partial))
    return {
        outcome.name: _stacked(parts[outcome.name])
        if outcome.name in parts
        else outcome_rows(outcome, tables.sessions, variables, partial=tables.partial)
        for outcome in plan.outcomes
    }


def trial_columns_of(plan: AnalysisPlan, variables: Variables) -> frozenset[str]:
    """Return the columns of the trial table that a plan reads."""
    rules = (outcome.where for outcome in plan.outcomes if outcome.where is not None)
    named = {name for rule in rules for name in names_in(rule)}
    return frozenset(
        {"participant", "block", "item", *variables.factors, *(outcome.measure for outcome in plan.outcomes), *named}
    )


def outcome_rows(
    outcome: Outcome, table: pd.DataFrame, variables: Variables, *, partial: frozenset[str] = frozenset()
) -> OutcomeRows:
    """Return the rows of an outcome; rows without a value are dropped and counted in the notes.

    `partial` are participants who left before the end.
    """
    is_session = variables.measures[outcome.measure].unit == "session"
    blocks = variables.measures[outcome.measure].blocks
    if blocks and not is_session:
        table = table[table["block"].isin(blocks)]
    table, of_people = with_partial(outcome, table, partial, is_session=is_session)
    complete, of_items = with_complete_items(outcome, table, variables)
    selected = complete
    of_rule: tuple[Loss, ...] = ()
    if outcome.where is not None:
        holds, is_open = judged(complete, outcome.where, f"Outcome {outcome.name!r}")
        selected, of_rule = complete[holds], (_open_loss(outcome.name, is_open),)
    if is_session or outcome.summary is None:
        data = _single_rows(outcome, selected, variables)
    else:
        data = _summarised_rows(outcome, selected, table, variables)
    return replace(data, losses=(*of_people, *of_items, *of_rule, *data.losses))


def hypothesis_rows(
    hypothesis: Hypothesis, outcomes: dict[str, OutcomeRows], covariates: Sequence[str] = ()
) -> OutcomeRows:
    """Return the rows on which a hypothesis is tested: its outcome, joined, filtered, and only the contrasted levels.

    `covariates` are further outcomes that become columns under their own names.
    """
    data = outcomes[hypothesis.outcome]
    if hypothesis.other is not None:
        data = _joined(data, outcomes[hypothesis.other], hypothesis.other, column="other")
    for name in covariates:
        data = _joined(data, outcomes[name], name, column=name)
    rows = data.rows
    if hypothesis.where is not None:
        holds, is_open = judged(rows, hypothesis.where, f"Hypothesis {hypothesis.hypothesis_id!r}")
        data, rows = _with_loss(data, _open_loss(hypothesis.hypothesis_id, is_open)), rows[holds]
    for factor in (hypothesis.factor, hypothesis.crossed_with):
        if factor is not None:
            data = _with_loss(data, Loss(int(rows[factor].isna().sum()), len(rows), "rows", repr(factor)))
            rows = rows[rows[factor].notna()]
    if hypothesis.factor is not None and hypothesis.contrast is not None:
        rows = rows[rows[hypothesis.factor].isin(hypothesis.contrast)]
    return replace(data, rows=rows.reset_index(drop=True))


def refuse_repeated_rows(hypothesis: Hypothesis, rows: pd.DataFrame, further: Iterable[str] = ()) -> None:
    """Raise if a participant has several rows in one cell, which a test of participants would count as people.

    `further` are the factors that parameters of the analysis name.
    """
    named = ("participant", hypothesis.factor, hypothesis.crossed_with, *further)
    cell = [name for name in dict.fromkeys(named) if name is not None]
    repeated = int(rows.duplicated(cell).sum())
    if repeated:
        raise PlanError(
            [
                f"Hypothesis {hypothesis.hypothesis_id!r} tests participants, but {repeated} of {len(rows)} rows of "
                f"outcome {hypothesis.outcome!r} repeat a participant within one level. "
                "Narrow `where` to one level of the other factors, or leave them out of the outcome's `by`."
            ]
        )


def _open_loss(name: str, is_open: "pd.Series[bool]") -> Loss:
    return Loss(int(is_open.sum()), len(is_open), "rows", f"a value that the `where` of {name!r} reads")


def _single_rows(outcome: Outcome, selected: pd.DataFrame, variables: Variables) -> OutcomeRows:
    columns = [name for name in ("participant", "item", *variables.factors) if name in selected.columns]
    rows = selected[columns].assign(value=selected[outcome.measure])
    is_by_trial = variables.unit_of(outcome) == "trial"
    loss = Loss(int(rows["value"].isna().sum()), len(rows), "rows", repr(outcome.name))
    return OutcomeRows(rows[rows["value"].notna()], (loss,), is_by_trial)


def _summarised_rows(
    outcome: Outcome, selected: pd.DataFrame, table: pd.DataFrame, variables: Variables
) -> OutcomeRows:
    keys = ["participant", *outcome.by]
    summary = outcome.summary or "mean"
    is_missing = selected[outcome.measure].isna()
    grouped = selected[~is_missing].groupby(keys, sort=False)[outcome.measure]
    values = _summary_of(grouped, summary).rename("value").reset_index()
    if summary == "count":
        # A person without any row left after the filter has a count of zero and is not missing.
        cells = table[keys].dropna().drop_duplicates()
        values = cells.merge(values, on=keys, how="left").fillna({"value": 0})
    people = table[["participant", *_between(variables, table)]].drop_duplicates("participant")
    rows = people.merge(values, on="participant", how="inner")
    losses = (
        Loss(int(is_missing.sum()), len(selected), "rows", repr(outcome.measure)),
        Loss(int(selected[keys].isna().any(axis=1).sum()), len(selected), "rows", " or ".join(map(repr, outcome.by))),
        Loss(len(people) - rows["participant"].nunique(), len(people), "participants", repr(outcome.name)),
    )
    return OutcomeRows(rows, losses)


def _summary_of(grouped: Any, summary: Summary) -> pd.Series:
    if summary == "sum":
        # Without min_count, the sum of no values would be 0 instead of missing.
        return grouped.sum(min_count=1)  # type: ignore[no-any-return]
    if summary == "gain":
        return grouped.agg(lambda values: gain(values.tolist())).astype(float).dropna()  # type: ignore[no-any-return]
    return grouped.agg(summary)  # type: ignore[no-any-return]


def _stacked(parts: Sequence[OutcomeRows]) -> OutcomeRows:
    if len(parts) == 1:
        return parts[0]
    losses = tuple(
        same[0]._replace(n=sum(loss.n for loss in same), n_all=sum(loss.n_all for loss in same))
        for same in zip(*(part.losses for part in parts), strict=True)
    )
    frames = [part.rows for part in parts]
    columns = {name: _stacked_column([frame[name] for frame in frames]) for name in frames[0].columns}
    rows = pd.DataFrame(columns)
    # Outcomes of single trials are joined by their index, so it must survive stacking.
    if parts[0].is_by_trial:
        rows.index = frames[0].index.append([frame.index for frame in frames[1:]])
    return OutcomeRows(rows, losses, parts[0].is_by_trial)


def _stacked_column(columns: Sequence[pd.Series]) -> pd.Series:
    # Concatenating would turn categories that differ between parts into full text, many times as large.
    if not all(isinstance(column.dtype, pd.CategoricalDtype) for column in columns):
        return pd.concat(columns, ignore_index=True)
    # A part without any value has untyped categories.
    texts = [column.astype(pd.CategoricalDtype(column.cat.categories.astype(str))) for column in columns]
    return pd.Series(pd.api.types.union_categoricals(texts))


def _between(variables: Variables, table: pd.DataFrame) -> list[str]:
    return [name for name in variables.factors_of_scope("between") if name in table.columns]


def _joined(first: OutcomeRows, second: OutcomeRows, outcome: str, *, column: str) -> OutcomeRows:
    other = second.rows.rename(columns={"value": column})
    if first.is_by_trial and second.is_by_trial:
        rows = first.rows.join(other[column], how="inner")
    else:
        shared = [name for name in first.rows.columns if name != "value" and name in other.columns]
        rows = first.rows.merge(other[[*shared, column]], on=shared, how="inner")
    joined = OutcomeRows(rows, (*first.losses, *second.losses), first.is_by_trial)
    lost = len(first.rows) - len(rows)
    return _with_loss(joined, Loss(lost, len(first.rows), "rows", repr(outcome)))


def _with_loss(data: OutcomeRows, loss: Loss) -> OutcomeRows:
    return replace(data, losses=(*data.losses, loss))
