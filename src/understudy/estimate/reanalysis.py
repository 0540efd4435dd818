"""Convert a table collected elsewhere into tables for a plan, and count who was left out."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from understudy.errors import PlanError, TableError
from understudy.estimate.columns import as_numbers, column_value, judged, summarised
from understudy.estimate.reading import BLANK, typed_columns
from understudy.estimate.sources import source_faults
from understudy.estimate.tables import Tables
from understudy.schema import FlowStep, ParticipantFlow, Reanalysis, SourceFactor, SourceMeasure, names_in

_LARGEST = 1e100


@dataclass(frozen=True)
class Recovered:
    """Tables ready for the plan, and the participant flow that led to them."""

    tables: Tables
    flow: ParticipantFlow
    notes: tuple[str, ...] = ()
    """One sentence for each derived column whose summaries skip missing values."""


def recovered_tables(reanalysis: Reanalysis, raw: pd.DataFrame) -> Recovered:
    """Read a raw table as the plan file says: derive, filter, exclude, measure, in that order."""
    faults = source_faults(reanalysis, raw.columns)
    if faults:
        raise PlanError(faults)
    written = raw.drop_duplicates() if reanalysis.table.drop_duplicate_rows else raw
    written = written.reset_index(drop=True)
    frame = _named_rows(reanalysis, written)
    _refuse_extremes(reanalysis, frame)
    frame, notes = _with_derived(reanalysis, frame, written)
    n_recruited = int(frame["participant"].nunique())
    n_repeated = len(raw) - len(frame)
    frame, steps = _filtered(reanalysis, frame)
    if n_repeated:
        steps.insert(0, _repeated_step(n_repeated, len(raw), n_recruited))
    faults = [fault for factor in reanalysis.factors for fault in _factor_faults(factor, frame)]
    if faults:
        raise TableError("\n".join(faults))
    frame, more = _excluded(reanalysis, frame)
    flow = ParticipantFlow(
        n_recruited=n_recruited,
        steps=(*steps, *more),
        n_analysed=int(frame["participant"].nunique()),
        by_condition=_by_condition(reanalysis, frame),
        groups={name: _group_sizes(frame, (name,)) for name in _between(reanalysis)},
    )
    return Recovered(_measured(reanalysis, frame), flow, notes)


def _named_rows(reanalysis: Reanalysis, written: pd.DataFrame) -> pd.DataFrame:
    """Type and name the columns; ids stay as written, because 007 would become 7 and long ids would collide."""
    table = reanalysis.table
    frame = typed_columns(written)
    frame = frame.assign(**{name: frame[column] for name, column in table.columns.items()})
    blank = frame[table.participant].isna()
    if blank.any():
        raise TableError(
            f"Column {table.participant!r} tells participants apart, but is blank in {int(blank.sum())} of "
            f"{len(frame)} rows. Fill it in, or take these rows out of the file."
        )
    frame["participant"] = _as_text(written[table.participant])
    if table.item is not None:
        frame["item"] = _as_text(written[table.item])
    return frame


def _refuse_extremes(reanalysis: Reanalysis, frame: pd.DataFrame) -> None:
    """Reject numbers in columns that the plan reads: infinite ones, and those whose squares a computer cannot hold."""
    rules = [measure.value or measure.name for measure in reanalysis.measures]
    rules += [rule for new in reanalysis.derive for rule in (new.value, new.where) if rule is not None]
    rules += [*(step.rule for step in reanalysis.keep), *(step.rule for step in reanalysis.exclusions)]
    read = {name for rule in rules for name in names_in(rule)}
    faults = []
    numbers = [name for name in frame.columns if name in read and pd.api.types.is_float_dtype(frame[name])]
    for name in numbers:
        sizes = frame[name].abs()
        infinite = frame["participant"][np.isinf(frame[name])]
        if len(infinite):
            values = "1 infinite value" if len(infinite) == 1 else f"{len(infinite)} infinite values"
            faults.append(
                f"Column {name!r} holds {values}, such as of participant {infinite.iloc[0]!r}. Correct the table, or leave "
                "a cell blank if its value is missing."
            )
        elif sizes.max() > _LARGEST or 0 < sizes.max() < 1 / _LARGEST:
            faults.append(
                f"Column {name!r} has values of a size of {sizes.max():.0e}, which cannot be squared exactly. Give it in another "
                "unit."
            )
    if faults:
        raise TableError("\n".join(faults))


def _with_derived(
    reanalysis: Reanalysis, frame: pd.DataFrame, written: pd.DataFrame
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Add derived columns in order; a factor is read as soon as its column exists."""
    waiting = list(reanalysis.factors)
    frame, waiting = _with_factors(frame, written, waiting)
    notes: list[str] = []
    for new in reanalysis.derive:
        context = f"Derived column {new.name!r}"
        if new.by:
            values, n_skipped, n_rows = summarised(frame, new.value, context, by=new.by, where=new.where)
            if n_skipped:
                notes.append(
                    f"{context} ({new.value}) skips {n_skipped} of {n_rows} rows, whose value is missing: they count neither "
                    "as right nor as wrong, and not as 0."
                )
        else:
            values = column_value(frame, new.value, context, where=new.where)
        frame = frame.assign(**{new.name: values})
        frame, waiting = _with_factors(frame, written, waiting)
    return frame, tuple(notes)


def _with_factors(
    frame: pd.DataFrame, written: pd.DataFrame, waiting: list[SourceFactor]
) -> tuple[pd.DataFrame, list[SourceFactor]]:
    """Read factors whose column exists: a level is the text as written, such as 01 or True, or its number."""
    left: list[SourceFactor] = []
    for factor in waiting:
        column = factor.column or factor.name
        if column in frame.columns:
            level = _as_text(frame[column])
            if column in written.columns:
                text = _as_text(written[column])
                level = level.mask(text.isin([*factor.levels, *factor.recode]), text)
            frame = frame.assign(**{factor.name: level.replace(factor.recode)})
        else:
            left.append(factor)
    return frame, left


def _factor_faults(factor: SourceFactor, frame: pd.DataFrame) -> list[str]:
    column = frame[factor.name]
    faults: list[str] = []
    strange = sorted(set(column.dropna()) - set(factor.levels))
    if strange:
        faults.append(
            f"Factor {factor.name!r} has values that are not levels: {', '.join(strange[:5])}. "
            f"Levels are: {', '.join(factor.levels)}. Add them to `levels`, or map them with `recode`."
        )
    unread = [level for level in factor.levels if level in BLANK and level not in set(column.dropna())]
    if unread and column.isna().any():
        faults.append(
            f"Factor {factor.name!r} has the level {unread[0]!r}, but blank cells and cells with {', '.join(BLANK[1:])} are "
            "read as missing. Give the level another name in the table."
        )
    if factor.scope == "between":
        n_levels = column.groupby(frame["participant"]).nunique()
        mixed = n_levels[n_levels > 1]
        if len(mixed):
            faults.append(
                f"Factor {factor.name!r} is declared between people, but {_counted(len(mixed))} several "
                f"levels, such as {mixed.index[0]!r}. Declare it within if the same people were in several; if their ids begin "
                "anew in each level, give each person an id of their own; otherwise correct the table."
            )
    return faults


def _counted(n: int) -> str:
    return "1 participant has" if n == 1 else f"{n} participants have"


def _filtered(reanalysis: Reanalysis, frame: pd.DataFrame) -> tuple[pd.DataFrame, list[FlowStep]]:
    steps: list[FlowStep] = []
    for row_filter in reanalysis.keep:
        holds, is_open = judged(frame, row_filter.rule, f"Filter {row_filter.label!r}")
        remaining = frame[holds]
        unknown = f", {is_open.sum()} of them because a value is missing" if is_open.any() else ""
        reason = f"{row_filter.reason} ({len(frame) - len(remaining)} of {len(frame)} rows{unknown})"
        steps.append(_step(reanalysis, row_filter.label, reason, before=frame, after=remaining))
        frame = remaining
    return frame, steps


def _excluded(reanalysis: Reanalysis, frame: pd.DataFrame) -> tuple[pd.DataFrame, list[FlowStep]]:
    steps: list[FlowStep] = []
    for exclusion in reanalysis.exclusions:
        context = f"Exclusion {exclusion.exclusion_id!r}"
        is_out, is_open = judged(frame, exclusion.rule, context)
        varying = is_out.groupby(frame["participant"]).nunique()
        if (varying > 1).any():
            raise TableError(
                f"{context}: {exclusion.rule!r} holds for some rows of a participant and not for others, such as "
                f'{varying[varying > 1].index[0]!r}. Derive a value with by = ["participant"] and use that.'
            )
        remaining = frame[~is_out]
        n_open = int(frame["participant"][is_open].nunique())
        stay = f" (not decided for {n_open}, who stay: a value is missing)" if n_open else ""
        steps.append(_step(reanalysis, exclusion.exclusion_id, exclusion.reason + stay, before=frame, after=remaining))
        frame = remaining
    return frame, steps


def _step(reanalysis: Reanalysis, label: str, reason: str, *, before: pd.DataFrame, after: pd.DataFrame) -> FlowStep:
    if after.empty:
        raise TableError(f"Step {label!r} of the participant flow leaves no row at all. Check its rule.")
    n_before, n_after = int(before["participant"].nunique()), int(after["participant"].nunique())
    return FlowStep(
        label=label,
        reason=reason,
        n_left=n_before - n_after,
        n_remaining=n_after,
        by_condition=_by_condition(reanalysis, after),
    )


def _repeated_step(n_repeated: int, n_rows: int, n_people: int) -> FlowStep:
    reason = f"Rows that repeat an earlier row ({n_repeated} of {n_rows} rows)"
    return FlowStep(label="drop_duplicate_rows", reason=reason, n_left=0, n_remaining=n_people)


def _by_condition(reanalysis: Reanalysis, frame: pd.DataFrame) -> dict[str, int]:
    """Count people by the first compared groups; other factors between people, such as background, are not conditions."""
    between = _between(reanalysis)
    named = ((test.factor, test.crossed_with) for test in reanalysis.plan.hypotheses)
    compared = (tuple(name for name in pair if name in between) for pair in named)
    conditions = next((pair for pair in compared if pair), tuple(between) if len(between) == 1 else ())
    return _group_sizes(frame, conditions) if conditions else {}


def _between(reanalysis: Reanalysis) -> list[str]:
    return [factor.name for factor in reanalysis.factors if factor.scope == "between"]


def _group_sizes(frame: pd.DataFrame, names: tuple[str, ...]) -> dict[str, int]:
    """Count everybody once, also those without a value, so that sizes add up to the number of people."""
    people = frame.groupby("participant", sort=False)[list(names)].first()
    cells = ["-".join(_level(*pair) for pair in zip(names, row, strict=True)) for row in people.itertuples(index=False)]
    absent = {cell for cell, lacks in zip(cells, people.isna().any(axis=1), strict=True) if lacks}
    counts = Counter(cells)
    return {cell: counts[cell] for cell in sorted(counts, key=lambda cell: (cell in absent, cell))}


def _level(name: str, level: Any) -> str:
    return f"no {name}" if pd.isna(level) else str(level)


def _measured(reanalysis: Reanalysis, frame: pd.DataFrame) -> Tables:
    faults: list[str] = []
    columns: dict[str, pd.Series[Any]] = {}
    for measure in reanalysis.measures:
        value = as_numbers(column_value(frame, measure.value or measure.name, f"Measure {measure.name!r}"))
        faults.extend(_measure_faults(measure, value, frame))
        columns[measure.name] = value
    if faults:
        raise TableError("\n".join(faults))
    trials = frame.assign(**columns).reset_index(drop=True)
    sessions = trials.groupby("participant", sort=False, as_index=False).first()
    n_values = trials.drop(columns="participant").groupby(trials["participant"]).nunique()
    # Columns that never vary within a participant can describe the session.
    constant = [name for name in n_values.columns if n_values[name].max() <= 1]
    by_trial = {measure.name for measure in reanalysis.measures if measure.unit == "trial"}
    return Tables(trials, sessions[["participant", *(name for name in constant if name not in by_trial)]])


def _measure_faults(measure: SourceMeasure, value: "pd.Series[Any]", frame: pd.DataFrame) -> list[str]:
    if measure.scale == "nominal":
        return []
    if not pd.api.types.is_numeric_dtype(value):
        numbers = pd.to_numeric(value, errors="coerce")
        strange = value[numbers.isna() & value.notna()]
        who = frame["participant"].loc[strange.index[0]]
        return [
            f"Measure {measure.name!r} is {measure.scale} and needs numbers, but holds {len(strange)} "
            f"other value{'s' * (len(strange) > 1)}, such as {strange.iloc[0]!r} of participant {who!r}. Correct the table, or "
            "derive a column of numbers."
        ]
    faults: list[str] = []
    if measure.scale == "binary" and not value.dropna().isin([0, 1]).all():
        strange = value[value.notna() & ~value.isin([0, 1])]
        faults.append(f"Measure {measure.name!r} is binary, but holds {strange.iloc[0]:g}; only 0 and 1 are allowed.")
    if measure.unit == "session" and (value.groupby(frame["participant"]).nunique() > 1).any():
        faults.append(
            f"Measure {measure.name!r} is declared once per session, but differs between rows of a participant. "
            'Declare it by trial, or derive it with by = ["participant"].'
        )
    return faults


def _as_text(column: "pd.Series[Any]") -> "pd.Series[Any]":
    """Return levels and ids as text, with whole numbers without a decimal point."""
    if pd.api.types.is_numeric_dtype(column):
        return column.map(_number_text, na_action="ignore").astype("str")
    return column.astype("str")


def _number_text(value: float) -> str:
    return str(int(value)) if float(value).is_integer() else f"{value:.15g}"
