"""Run tables: what happened in a run, streamed from its log into tables in its folder.

This is not part of `run_folder`, because a server opens run folders and must not load a library for tables.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from understudy.actions.run_folder import Run
from understudy.estimate.tables import StoredTables, read_tables, write_tables

T = TypeVar("T")


def tables_of(run: Run, on_session: Callable[[], None] = lambda: None) -> StoredTables:
    """Stream the log into the folder's tables and open them."""
    with run.open_log() as log:
        sessions = _told(log.sessions(run.script.study.name), on_session)
        files = write_tables(run.script, sessions, run.folder / "tables")
    return read_tables(files)


def _told(things: Iterable[T], on_each: Callable[[], None]) -> Iterator[T]:
    for thing in things:
        yield thing
        on_each()
