"""Tables for the plan engine: one row per trial and one row per participant."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import pandas as pd
from pydantic import JsonValue

from understudy.conduct import Script, Session, resume
from understudy.conduct.scoring import StepEvents
from understudy.errors import LogError
from understudy.estimate.codebook import answer_columns, session_columns, trial_columns
from understudy.parquet import Column, ParquetReader, ParquetWriter, frame_from_file, frame_of
from understudy.schema import (
    CodebookEntry,
    Event,
    Materials,
    PaySettled,
    ResponseGiven,
    SessionStarted,
    Trial,
    canonical_json,
)
from understudy.schema.events import page_span_ms


class PlanTables(Protocol):
    """Trials and sessions of all analysed participants.

    Both have a `participant` column and one column per measure of their unit. Trials have every factor and, where
    there are items, `item`; sessions have the factors that vary between people.
    """

    @property
    def sessions(self) -> pd.DataFrame:
        """Return one row per participant."""

    @property
    def partial(self) -> frozenset[str]:
        """Return the participants who left before the end."""

    def trial_parts(self) -> Iterator[pd.DataFrame]:
        """Yield the trials part by part; no participant is split between parts, and no two rows share an index."""

    def answer_parts(self) -> Iterator[pd.DataFrame]:
        """Yield the answers to compared questions in the same way; nothing in studies that compare none."""


@dataclass(frozen=True)
class Tables:
    """Both tables in memory."""

    trials: pd.DataFrame
    sessions: pd.DataFrame
    partial: frozenset[str] = frozenset()
    answers: pd.DataFrame | None = None
    """One row per compared question of a trial."""

    def trial_parts(self) -> Iterator[pd.DataFrame]:
        """Yield the trials as one part."""
        yield self.trials

    def answer_parts(self) -> Iterator[pd.DataFrame]:
        """Yield the answers as one part, if there are any."""
        if self.answers is not None:
            yield self.answers


@dataclass(frozen=True)
class StreamedTables:
    """Tables whose trials are read when needed, because they may not fit in memory."""

    read_parts: Callable[[], Iterator[pd.DataFrame]]
    sessions: pd.DataFrame
    partial: frozenset[str] = frozenset()
    read_answers: Callable[[], Iterator[pd.DataFrame]] = lambda: iter(())

    def trial_parts(self) -> Iterator[pd.DataFrame]:
        """Read the trials part by part."""
        return self.read_parts()

    def answer_parts(self) -> Iterator[pd.DataFrame]:
        """Read the answers part by part."""
        return self.read_answers()


# The table rows of one session.


class SessionRows(NamedTuple):
    """The rows of one session: one per trial, one for the session, and one per compared question of a trial."""

    trials: list[dict[str, Any]]
    session: dict[str, Any]
    answers: list[dict[str, Any]]


def rows_from_events(script: Script, events: Sequence[Event]) -> SessionRows:
    """Return the rows of one session by replaying its events through the state machine that ran it."""
    session = resume(script, events).session
    started = events[0]
    if not isinstance(started, SessionStarted):
        raise TypeError("a resumed session begins with session_started")
    frame = {
        "session": session.session_id,
        "participant": started.participant_id,
        "is_synthetic": started.participant_kind == "synthetic",
        "condition": session.assignment.condition,
        **({} if script.study.pilot_of is None else {"is_pilot": True}),
        **session.assignment.levels,
    }
    return SessionRows(
        _trial_rows(script, session, frame),
        _session_row(script, session, started, frame),
        _answer_rows(script, session, frame),
    )


def _trial_rows(script: Script, session: Session, frame: dict[str, Any]) -> list[dict[str, Any]]:
    rows = []
    for step in session.steps:
        response = _response_of(step)
        row = _placed(script, step, response, frame)
        for name, value in response.response.items():
            row[f"answer.{name}"] = _scalar(value)
        row.update(script.scorer.trial_scores(step))
        rows.append(row)
    return rows


def _answer_rows(script: Script, session: Session, frame: dict[str, Any]) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    if not any(factor.scope == "question" for factor in script.study.factors):
        return rows
    for step in session.steps:
        response = _response_of(step)
        asked = {question.question_id for question in script.trials[response.trial_id].asks}
        rows += [
            {
                **_placed(script, step, response, frame),
                scored.factor: scored.level,
                "answer.given": _scalar(response.response.get(scored.level)),
                **scored.scores,
            }
            for scored in script.scorer.question_scores(step, asked)
        ]
    return rows


def _response_of(step: StepEvents) -> ResponseGiven:
    response = step.events[-1]
    if not isinstance(response, ResponseGiven):
        raise TypeError("a step ends with its response")
    return response


def _placed(script: Script, step: StepEvents, response: ResponseGiven, frame: dict[str, Any]) -> dict[str, Any]:
    """Return the columns that say where a trial is in the study."""
    trial_id = response.trial_id
    return {
        **frame,
        **step.levels,
        **script.strata.get(trial_id, {}),
        "block": step.block_id,
        "try": step.try_number,
        "position": step.position,
        "trial": trial_id,
        "item": script.trials[trial_id].stimulus_id,
        "rt_ms": response.rt_ms,
    }


def _scalar(value: JsonValue) -> JsonValue:
    # Parquet columns hold scalars, so lists and mappings become canonical JSON.
    return canonical_json(value) if isinstance(value, list | dict) else value


def _session_row(script: Script, session: Session, started: SessionStarted, frame: dict[str, Any]) -> dict[str, Any]:
    span_ms = page_span_ms(session.events)
    pay = next((event for event in session.events if isinstance(event, PaySettled)), None)
    scores = session.scores()
    return {
        **frame,
        "cast": started.cast,
        "outcome": session.outcome or "unfinished",
        "excluded_by": session.excluded_by or script.excluded_by_codes(scores),
        "flags": ", ".join(event.flag for event in session.flags) or None,
        "n_answers": sum(script.blocks[step.block_id].purpose == "main" for step in session.steps),
        "minutes": None if span_ms is None else span_ms / 60_000,
        "base_pay": pay.base if pay else None,
        "bonus": pay.bonus if pay else None,
        **scores,
    }


# Tidy tables of sessions, in memory or streamed to files when there are too many for memory.

FLUSH_ROWS = 20_000
"""Rows collected before they are written as one row group."""


class TableFiles(NamedTuple):
    """Paths of the tables, and how many sessions of other study versions were left out."""

    trials: Path
    sessions: Path
    n_other_versions: int
    answers: Path | None = None
    """One row per compared question of a trial, in studies with question-factors."""
    unreadable: tuple[str, ...] = ()
    """Sessions whose events do not fit the materials."""


class Frames(NamedTuple):
    """The tables in memory."""

    trials: pd.DataFrame
    sessions: pd.DataFrame
    n_other_versions: int
    answers: pd.DataFrame | None = None
    """One row per compared question of a trial, in studies with question-factors."""
    unreadable: tuple[str, ...] = ()

    def trial_parts(self, columns: Collection[str] | None = None) -> Iterator[pd.DataFrame]:
        """Yield the chosen columns of the trials, or all columns, as one part."""
        yield self.trials if columns is None else self.trials[_present(self.trials.columns, columns)]

    def answer_parts(self, columns: Collection[str] | None = None) -> Iterator[pd.DataFrame]:
        """Yield the chosen columns of the answers, or all columns, as one part; nothing without such a table."""
        if self.answers is not None:
            yield self.answers if columns is None else self.answers[_present(self.answers.columns, columns)]


class StoredTables(NamedTuple):
    """The sessions in memory, and the trials in a file that may be larger than memory."""

    trials: Path
    sessions: pd.DataFrame
    n_other_versions: int
    answers: Path | None = None
    unreadable: tuple[str, ...] = ()

    def trial_parts(self, columns: Collection[str] | None = None) -> Iterator[pd.DataFrame]:
        """Yield the chosen columns of the trials, or all columns, in parts that never split a session."""
        return _parts_of(self.trials, columns)

    def answer_parts(self, columns: Collection[str] | None = None) -> Iterator[pd.DataFrame]:
        """Yield the chosen columns of the answers, or all columns, in parts that never split a session."""
        return iter(()) if self.answers is None else _parts_of(self.answers, columns)


def _parts_of(path: Path, columns: Collection[str] | None) -> Iterator[pd.DataFrame]:
    n_before = 0
    with ParquetReader(path) as file:
        for number in range(file.n_parts):
            part = file.part(number, columns)
            # Row numbers continue over parts, as if the table had been read at once.
            part.index = pd.RangeIndex(n_before, n_before + len(part))
            n_before += len(part)
            yield part


def write_tables(script: Script, sessions: Iterable[Sequence[Event]], folder: Path) -> TableFiles:
    """Stream sessions into Parquet files; memory does not grow with their number."""
    folder.mkdir(parents=True, exist_ok=True)
    trials, ends = folder / "trials.parquet", folder / "sessions.parquet"
    answers = folder / "answers.parquet" if answer_columns(script) else None
    n_other = 0
    unreadable: list[str] = []
    with ExitStack() as stack:
        trial_sink = stack.enter_context(_Sink(trials, trial_columns(script)))
        session_sink = stack.enter_context(_Sink(ends, session_columns(script)))
        answer_sink = stack.enter_context(_Sink(answers, answer_columns(script))) if answers else None
        for events in sessions:
            try:
                rows = _rows(script, events)
            except (LogError, LookupError, TypeError, ValueError, ArithmeticError):
                # Changed by hand or by a damaged disk; it takes nobody else's rows with it, and the report names it.
                unreadable.append(events[0].session_id)
                continue
            if rows is None:
                n_other += 1
                continue
            trial_sink.add(rows.trials)
            session_sink.add([rows.session])
            if answer_sink is not None:
                answer_sink.add(rows.answers)
    return TableFiles(trials, ends, n_other, answers, tuple(unreadable))


def read_tables(files: TableFiles) -> StoredTables:
    """Open the tables of `write_tables`; text columns become categories, which are small and fast."""
    return StoredTables(
        files.trials, frame_from_file(files.sessions), files.n_other_versions, files.answers, files.unreadable
    )


def frames_from_sessions(script: Script, sessions: Iterable[Sequence[Event]]) -> Frames:
    """Return the tables of sessions in memory."""
    trials: list[dict[str, Any]] = []
    ends: list[dict[str, Any]] = []
    answers: list[dict[str, Any]] = []
    n_other = 0
    for rows in (_rows(script, events) for events in sessions):
        if rows is None:
            n_other += 1
            continue
        trials.extend(rows.trials)
        ends.append(rows.session)
        answers.extend(rows.answers)
    return Frames(
        _frame(trials, trial_columns(script)),
        _frame(ends, session_columns(script)),
        n_other,
        _frame(answers, columns) if (columns := answer_columns(script)) else None,
    )


def _rows(script: Script, events: Sequence[Event]) -> SessionRows | None:
    first = events[0]
    if isinstance(first, SessionStarted) and first.study_digest != script.digest:
        return None
    return rows_from_events(script, events)


def _frame(rows: list[dict[str, Any]], columns: tuple[CodebookEntry, ...]) -> pd.DataFrame:
    return frame_of(_columns(columns), _with_texts(rows, columns))


def _present(names: Iterable[str], wanted: Collection[str]) -> list[str]:
    return [name for name in names if name in wanted]


def _columns(entries: tuple[CodebookEntry, ...]) -> tuple[Column, ...]:
    return tuple(Column(entry.variable, entry.type) for entry in entries)


def _with_texts(rows: list[dict[str, Any]], entries: tuple[CodebookEntry, ...]) -> list[dict[str, Any]]:
    """Return rows whose texts are texts: levels of a factor may be numbers or truths."""
    texts = [entry.variable for entry in entries if entry.type == "text"]
    return [row | {name: str(row[name]) for name in texts if row.get(name) is not None} for row in rows]


class _Sink:
    """A Parquet file that rows are appended to in batches."""

    def __init__(self, path: Path, columns: tuple[CodebookEntry, ...]) -> None:
        self._columns = columns
        self._waiting: list[dict[str, Any]] = []
        self._stream = path.open("wb")
        self._writer = ParquetWriter(self._stream, _columns(columns))

    def __enter__(self) -> "_Sink":
        return self

    def __exit__(self, *_: object) -> None:
        with self._stream:
            self._flush()
            self._writer.close()

    def add(self, rows: list[dict[str, Any]]) -> None:
        self._waiting.extend(rows)
        if len(self._waiting) >= FLUSH_ROWS:
            self._flush()

    def _flush(self) -> None:
        self._writer.append(_with_texts(self._waiting, self._columns))
        self._waiting = []


# The table of items: what each page of the study showed and asked, and what was right, so that a score can be recomputed.
#
# One row for each page under each combination of levels under which it is shown. Its column `trial` is that of the table of trials.

_PLACE = {
    "trial": "Trial identifier, as in the table of trials",
    "item": "Item identifier, as in the table of trials; empty on pages without an item",
    "block": "Block of the flow",
}
_SHOWN = {
    "shown.task": "Task that drew the page",
    "shown.page": "Everything that the page was told, as JSON; files are named by their address in the materials",
    "shown.explanation": "The explanation on the page, as JSON; empty when there was none",
    "shown.questions": "The questions on the page with their possible answers, as JSON",
    "shown.reason": "Why the right answers are right, as told with feedback",
}


def items_table(script: Script, materials: Materials) -> tuple[pd.DataFrame, tuple[CodebookEntry, ...]]:
    """Return one row for each page and combination of levels, in the order of the study, with what its columns mean."""
    factors = [factor.name for factor in script.study.factors]
    rows = []
    for trial_set in materials.trial_sets:
        levels = {name: trial_set.levels.get(name) for name in factors}
        rows += [_row(script, script.trials[trial_id], levels) for trial_id in trial_set.trial_ids]
    codebook = tuple(_codebook(script, rows))
    frame = pd.DataFrame(rows, columns=[entry.variable for entry in codebook])
    return frame.astype(object).where(frame.notna(), None), codebook


def _row(script: Script, trial: Trial, levels: dict[str, str | None]) -> dict[str, Any]:
    plain = trial.model_dump(mode="json")
    content = plain["params"].get("content")
    name = trial.trial_id
    return {
        "trial": name,
        "item": trial.stimulus_id,
        "block": trial.block_id,
        **{factor: level for factor, level in levels.items() if level is not None},
        **_cells("", script.strata.get(name, {})),
        **_cells("content", content if isinstance(content, dict) else {} if content is None else {"whole": content}),
        **_cells("right", script.answers.get(name, {})),
        **_cells("truth", script.truth.get(name, {})),
        "shown.task": trial.task,
        "shown.page": canonical_json(plain["params"]),
        "shown.explanation": canonical_json(plain["explanation"]) if plain["explanation"] else None,
        "shown.questions": canonical_json(plain["asks"]) if plain["asks"] else None,
        "shown.reason": script.reasons.get(name) or None,
    }


def _cells(group: str, values: dict[str, JsonValue]) -> dict[str, JsonValue]:
    return {
        f"{group}.{name}" if group else name: canonical_json(value) if isinstance(value, list | dict) else value
        for name, value in values.items()
    }


def _codebook(script: Script, rows: list[dict[str, Any]]) -> Iterator[CodebookEntry]:
    """Describe the columns that occur, place first and what was shown last."""
    found = dict.fromkeys(name for row in rows for name, value in row.items() if value is not None)
    yield from (_entry(name, text, "materials") for name, text in _PLACE.items())
    known = {*_PLACE, *_SHOWN}
    # A dot is in no name that a study declares, so that nothing in these groups can be one of its factors or attributes.
    for factor in script.study.factors:
        if factor.name in found:
            known.add(factor.name)
            yield CodebookEntry(
                variable=factor.name, description="Level under which the page is shown; empty when it is under all",
                type="text", scale="nominal", levels=factor.levels, source="factor",
            )  # fmt: skip
    yield from (
        _entry(name, f"Attribute of the item: {name}", "item", rows)
        for name in found
        if name not in known and "." not in name
    )
    groups = {
        "content": ("Content of the item", "materials"),
        "right": ("Right answer to the question", "answer key"),
        "truth": ("What is true of the item, such as its label or what the model says", "answer key"),
    }
    for group, (text, source) in groups.items():
        names = [name for name in found if name not in known and name.split(".")[0] == group and "." in name]
        yield from (_entry(name, f"{text}: {name.removeprefix(f'{group}.')}", source, rows) for name in names)
    yield from (_entry(name, text, "materials") for name, text in _SHOWN.items() if name in found)


def _entry(name: str, text: str, source: str, rows: list[dict[str, Any]] | None = None) -> CodebookEntry:
    values = [row[name] for row in rows or () if row.get(name) is not None]
    is_claim = bool(values) and all(isinstance(value, bool) for value in values)
    is_number = bool(values) and not is_claim and all(isinstance(value, int | float) for value in values)
    kind = "boolean" if is_claim else "number" if is_number else "text"
    return CodebookEntry.model_validate({"variable": name, "description": text, "type": kind, "source": source})
