"""Builds the rows of an outcome: filtered, summarised to the analysed unit, with the factors beside them."""

from dataclasses import dataclass, replace

import pandas as pd

from understudy.errors import PlanError
from understudy.estimate.columns import condition
from understudy.estimate.tables import Tables
from understudy.estimate.variables import Variables
from understudy.schema import Hypothesis, Outcome


@dataclass(frozen=True)
class OutcomeRows:
    """Rows with participant, value, factors and item, and what was left out on the way."""

    rows: pd.DataFrame
    notes: tuple[str, ...] = ()
    is_by_trial: bool = False


def outcome_rows(outcome: Outcome, tables: Tables, variables: Variables) -> OutcomeRows:
    """Return the rows of an outcome; rows without a value are dropped and counted in the notes."""
    is_session = variables.measures[outcome.measure].unit == "session"
    table = tables.sessions if is_session else tables.trials
    blocks = variables.measures[outcome.measure].blocks
    if blocks and not is_session:
        table = table[table["block"].isin(blocks)]
    kept = table
    if outcome.where is not None:
        kept = table[condition(table, outcome.where, f"Outcome {outcome.name!r}")]
    if is_session or outcome.summary is None:
        return _single_rows(outcome, kept, variables)
    return _summarised_rows(outcome, kept, table, variables)


def hypothesis_rows(hypothesis: Hypothesis, outcomes: dict[str, OutcomeRows]) -> OutcomeRows:
    """Return the rows one hypothesis is tested on: its outcome, joined, filtered, and only the contrasted levels."""
    found = outcomes[hypothesis.outcome]
    if hypothesis.other is not None:
        found = _joined(found, outcomes[hypothesis.other], hypothesis)
    rows = found.rows
    if hypothesis.where is not None:
        rows = rows[condition(rows, hypothesis.where, f"Hypothesis {hypothesis.hypothesis_id!r}")]
    for factor in (hypothesis.factor, hypothesis.crossed_with):
        if factor is not None:
            found = _note(found, int(rows[factor].isna().sum()), f"of {len(rows)} rows without {factor!r}")
            rows = rows[rows[factor].notna()]
    if hypothesis.factor is not None and hypothesis.contrast is not None:
        rows = rows[rows[hypothesis.factor].isin(hypothesis.contrast)]
    return replace(found, rows=rows.reset_index(drop=True))


def refuse_repeated_rows(hypothesis: Hypothesis, rows: pd.DataFrame) -> None:
    """Raise where a participant has several rows in one cell, which a test of participants would count as people."""
    cell = [name for name in ("participant", hypothesis.factor, hypothesis.crossed_with) if name is not None]
    repeated = int(rows.duplicated(cell).sum())
    if repeated:
        raise PlanError(
            [
                f"Hypothesis {hypothesis.hypothesis_id!r} tests participants, but {repeated} of {len(rows)} rows of "
                f"outcome {hypothesis.outcome!r} repeat a participant within one level. "
                "Narrow `where` to one level of the other factors, or leave them out of the outcome's `by`."
            ]
        )


def _single_rows(outcome: Outcome, kept: pd.DataFrame, variables: Variables) -> OutcomeRows:
    held = [name for name in ("participant", "item", *variables.factors) if name in kept.columns]
    rows = kept[held].assign(value=kept[outcome.measure])
    is_by_trial = variables.unit_of(outcome) == "trial"
    found = OutcomeRows(rows[rows["value"].notna()], is_by_trial=is_by_trial)
    return _note(found, int(rows["value"].isna().sum()), f"of {len(rows)} rows without {outcome.name!r}")


def _summarised_rows(outcome: Outcome, kept: pd.DataFrame, table: pd.DataFrame, variables: Variables) -> OutcomeRows:
    keys = ["participant", *outcome.by]
    summary = outcome.summary or "mean"
    is_missing = kept[outcome.measure].isna()
    grouped = kept[~is_missing].groupby(keys, sort=False)[outcome.measure]
    values = (grouped.sum(min_count=1) if summary == "sum" else grouped.agg(summary)).rename("value").reset_index()
    if summary == "count":
        # Nobody vanishes for having nothing to count: a filter that leaves a person no row means zero.
        cells = table[keys].dropna().drop_duplicates()
        values = cells.merge(values, on=keys, how="left").fillna({"value": 0})
    people = table[["participant", *_between(variables, table)]].drop_duplicates("participant")
    rows = people.merge(values, on="participant", how="inner")
    n_people, n_left = len(people), len(people) - rows["participant"].nunique()
    found = OutcomeRows(rows)
    found = _note(found, int(is_missing.sum()), f"of {len(kept)} rows without {outcome.measure!r}")
    found = _note(found, int(kept[keys].isna().any(axis=1).sum()), f"of {len(kept)} rows without {_either(outcome.by)}")
    return _note(found, n_left, f"of {n_people} participants without {outcome.name!r}")


def _between(variables: Variables, table: pd.DataFrame) -> list[str]:
    return [name for name in variables.factors_of_scope("between") if name in table.columns]


def _either(names: tuple[str, ...]) -> str:
    return " or ".join(repr(name) for name in names)


def _joined(first: OutcomeRows, second: OutcomeRows, hypothesis: Hypothesis) -> OutcomeRows:
    other = second.rows.rename(columns={"value": "other"})
    if first.is_by_trial and second.is_by_trial:
        rows = first.rows.join(other["other"], how="inner")
    else:
        shared = [name for name in first.rows.columns if name != "value" and name in other.columns]
        rows = first.rows.merge(other[[*shared, "other"]], on=shared, how="inner")
    joined = OutcomeRows(rows, (*first.notes, *second.notes), first.is_by_trial)
    lost = len(first.rows) - len(rows)
    return _note(joined, lost, f"of {len(first.rows)} rows without {hypothesis.other!r}")


def _note(found: OutcomeRows, n: int, text: str) -> OutcomeRows:
    return replace(found, notes=(*found.notes, f"Left out: {n} {text}.")) if n else found
