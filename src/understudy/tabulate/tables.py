"""Tidy tables of sessions, in memory or streamed to files when there are too many for memory."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from understudy.conduct import Script
from understudy.errors import LogError
from understudy.parquet import Column, ParquetReader, ParquetWriter, frame_from_file, frame_of
from understudy.schema import CodebookEntry, Event, SessionStarted
from understudy.tabulate.columns import answer_columns, session_columns, trial_columns
from understudy.tabulate.rows import SessionRows, rows_from_events

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
