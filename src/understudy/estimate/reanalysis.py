"""Tables collected elsewhere: read, described, checked and analysed by a plan."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from understudy.errors import PlanError, TableError, refuse_large
from understudy.estimate.plan_check import plan_faults
from understudy.estimate.published import published_faults
from understudy.estimate.rules import as_numbers, column_value, judged, summarised
from understudy.estimate.tables import Tables
from understudy.estimate.variables import variables_from_reanalysis
from understudy.parquet import read_frame
from understudy.schema import (
    ROW_FUNCTIONS,
    Derived,
    FlowStep,
    ParticipantFlow,
    Reanalysis,
    SourceFactor,
    SourceMeasure,
    functions_in,
    names_in,
)

# Read tables from disk, and explain what is wrong with them.

BLANK = ["", "NA", "NaN", "nan"]
"""Texts for a missing value; words such as "None" may be levels and are kept."""
_MOST_MB = 1024
_TRUTH = {"True": 1.0, "true": 1.0, "TRUE": 1.0, "False": 0.0, "false": 0.0, "FALSE": 0.0}


def table_from_file(path: Path) -> pd.DataFrame:
    """Read a CSV or Parquet table; cells of a CSV file stay as they are written."""
    if not path.is_file():
        raise TableError(f"There is no file {path}. Give the path of a .csv or .parquet table.")
    if path.suffix not in (".csv", ".parquet"):
        raise TableError(f"{path} ends in {path.suffix or 'nothing'!r}, but a table is a .csv or .parquet file.")
    refuse_large(path, _MOST_MB, TableError, "Take out columns that the plan does not read, or analyse parts of it.")
    try:
        frame = read_frame(path) if path.suffix == ".parquet" else _rows_of_csv(path)
    except UnicodeDecodeError:
        raise TableError(
            f"{path} is not written in UTF-8, so letters beyond a to z would be guessed. Save it as CSV in UTF-8."
        ) from None
    except (ValueError, OSError) as error:
        reason = str(error).splitlines()[0]
        raise TableError(f"{path} cannot be read as {path.suffix[1:].upper()}: {reason}") from None
    if frame.empty:
        raise TableError(f"{path} has no rows; a table needs a line of headings and at least one row.")
    frame.columns = [str(name) for name in frame.columns]
    return frame


def _rows_of_csv(path: Path) -> pd.DataFrame:
    """Read a CSV file whose lines fit its headings; reject anything that would have to be guessed."""
    # Read as text: ids such as 007 and levels such as True must stay as written.
    frame = pd.read_csv(path, dtype=str, keep_default_na=False, na_values=BLANK, encoding="utf-8-sig")
    # pandas renames repeated headings, so they are read a second time as data.
    headings = list(pd.read_csv(path, header=None, nrows=1, dtype=str, encoding="utf-8-sig").loc[0].dropna())
    for sign, name in {";": "semicolons", "\t": "tabs"}.items():
        if len(frame.columns) == 1 and sign in str(frame.columns[0]):
            raise TableError(
                f"{path} is separated by {name}. Save it with commas between cells and a point in decimal numbers."
            )
    # pandas takes surplus cells as an index.
    if not isinstance(frame.index, pd.RangeIndex):
        raise TableError(f"{path} has rows with more cells than there are headings. Give every column its heading.")
    repeated = [heading for heading, n in Counter(headings).items() if n > 1]
    if repeated:
        raise TableError(f"{path} has several columns called {', '.join(map(repr, repeated))}. Give each its own name.")
    return frame


def typed_columns(frame: pd.DataFrame) -> pd.DataFrame:
    """Convert each column of numbers to numbers, and any other to text."""
    return frame.apply(_typed)


def _typed(column: "pd.Series[Any]") -> "pd.Series[Any]":
    if pd.api.types.is_bool_dtype(column) or pd.api.types.is_numeric_dtype(column):
        return column.astype(float)
    text = column.astype("str")
    known = text.dropna()
    if len(known) and known.isin(_TRUTH).all():
        return text.map(_TRUTH).astype(float)
    numbers = pd.to_numeric(known, errors="coerce")
    return pd.to_numeric(text).astype(float) if numbers.notna().all() else text


# Check from the headings alone that a table can be read as a reanalysis says.

_TAKEN = frozenset({"participant", "item", "value", "other"})
"""Columns of the rows that analyses get."""


def source_faults(reanalysis: Reanalysis, headings: Iterable[str]) -> list[str]:
    """Return one sentence for each thing that a plan file needs and the table lacks."""
    headings = list(headings)
    unusable = list(_unusable_names(reanalysis))
    if unusable:
        return unusable  # rules over such names cannot be read any further
    faults = [*_heading_faults(reanalysis, headings), *_repeated_names(reanalysis)]
    known = {"participant", *headings, *reanalysis.table.columns}
    if reanalysis.table.item is not None:
        known.add("item")
    # In order: a derived column may use those derived before it.
    for new in reanalysis.derive:
        faults.extend(_derived_faults(new, known | _factor_names(reanalysis, known)))
        known.add(new.name)
    for factor in reanalysis.factors:
        column = factor.column or factor.name
        if column not in known:
            faults.append(f"Factor {factor.name!r} is read from column {column!r}, which is {_not_among(known)}")
        if factor.name in known and factor.name != column:
            faults.append(
                f"Factor {factor.name!r} is read from {column!r}, but a column has its name. Rename the factor."
            )
    known |= {factor.name for factor in reanalysis.factors}
    for context, rule in _rules(reanalysis):
        faults.extend(_rule_faults(context, rule, known))
    variables = variables_from_reanalysis(reanalysis, frozenset(known))
    if reanalysis.plan.partial_sessions != "left_out":
        faults.append(
            "The plan keeps partial sessions, but a table from elsewhere has no sessions that could end early: leave "
            "`partial_sessions` out, and say in `keep` and `exclusions` who counts."
        )
    if reanalysis.plan.sequential is not None:
        faults.append(
            "The plan has looks, but a table from elsewhere does not say who came first. Leave `sequential` out, and set "
            "`alpha` to what is left for this look."
        )
    if reanalysis.plan.sensitivity:
        faults.append(
            "The plan has sensitivity analyses, which run on sessions of a study. Write a second plan file without the "
            "exclusions in question."
        )
    return [*faults, *plan_faults(reanalysis.plan, variables), *published_faults(reanalysis)]


def _unusable_names(reanalysis: Reanalysis) -> Iterator[str]:
    """Yield the names that analyses use themselves, and measures whose column a rule cannot spell."""
    for factor in reanalysis.factors:
        if factor.name in _TAKEN:
            yield f"Factor {factor.name!r} has a name that analyses use themselves. Choose another one, and give its `column`."
    for measure in reanalysis.measures:
        if measure.value is None and not _can_be_spelt(measure.name):
            yield (
                f"Measure {measure.name!r} is read from the column of its name, which a rule cannot spell. Rename the column in "
                f'table.columns, such as {{ score = "{measure.name}" }}, and set value = "score".'
            )


def _can_be_spelt(name: str) -> bool:
    try:
        return names_in(name) == {name}
    except ValueError:
        return False


def _heading_faults(reanalysis: Reanalysis, headings: list[str]) -> Iterator[str]:
    table = reanalysis.table
    wanted = {"participants": table.participant, "items": table.item}
    for what, column in wanted.items():
        if column is not None and column not in headings:
            yield f"The column of {what} is {column!r}, which is {_not_among(headings)}"
        name = what.removesuffix("s")
        if column is not None and column != name and name in headings:
            yield f"The table has a column {name!r} besides {column!r}, but the plan needs that name. Rename it."
    for name, column in table.columns.items():
        if column not in headings:
            yield f"Column {name!r} is read from {column!r}, which is {_not_among(headings)}"
        if name in headings and name != column:
            yield f"Column {column!r} is renamed to {name!r}, which the table has already. Choose another name."


def _repeated_names(reanalysis: Reanalysis) -> Iterator[str]:
    kinds = {
        "Factor": [factor.name for factor in reanalysis.factors],
        "Measure": [measure.name for measure in reanalysis.measures],
        "Derived column": [new.name for new in reanalysis.derive],
        "Filter or exclusion": [
            *(row_filter.label for row_filter in reanalysis.keep),
            *(exclusion.exclusion_id for exclusion in reanalysis.exclusions),
        ],
    }
    for kind, names in kinds.items():
        yield from (f"{kind} {name!r} is declared {n} times." for name, n in Counter(names).items() if n > 1)
    for name in sorted(set(kinds["Factor"]) & set(kinds["Measure"])):
        yield f"{name!r} is both a factor and a measure; give one of them another name."


def _factor_names(reanalysis: Reanalysis, known: set[str]) -> set[str]:
    return {factor.name for factor in reanalysis.factors if (factor.column or factor.name) in known}


def _derived_faults(new: Derived, known: set[str]) -> Iterator[str]:
    context = f"Derived column {new.name!r}"
    if new.name in known:
        yield f"{context} exists already; choose another name."
    for name in sorted(names_in(new.value) - known):
        yield f"{context} uses {name!r}, which is {_not_among(known)}"
    for name in new.by:
        if name not in known:
            yield f"{context} is grouped by {name!r}, which is {_not_among(known)}"
    summaries = sorted(functions_in(new.value) - ROW_FUNCTIONS)
    if summaries and not new.by:
        yield f"{context} summarises rows with {', '.join(summaries)}, but names no groups. Add `by`."
    if new.by and not summaries:
        yield f"{context} has `by` but summarises nothing; leave `by` out, or use mean, sum, count or a similar function."
    if new.where is not None:
        yield from _rule_faults(context, new.where, known)


def _rules(reanalysis: Reanalysis) -> Iterator[tuple[str, str]]:
    for row_filter in reanalysis.keep:
        yield f"Filter {row_filter.label!r}", row_filter.rule
    for exclusion in reanalysis.exclusions:
        yield f"Exclusion {exclusion.exclusion_id!r}", exclusion.rule
    for measure in reanalysis.measures:
        yield f"Measure {measure.name!r}", measure.value or measure.name


def _rule_faults(context: str, rule: str, known: set[str]) -> Iterator[str]:
    for name in sorted(names_in(rule) - known):
        yield f"{context} uses {name!r}, which is {_not_among(known)}"
    for name in sorted(functions_in(rule) - ROW_FUNCTIONS):
        yield f"{context} calls {name}(), which summarises rows. Derive a column with `by` first and use that."


def _not_among(known: Iterable[str]) -> str:
    return f"not a column of the table. Columns are: {', '.join(sorted(known))}."


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
