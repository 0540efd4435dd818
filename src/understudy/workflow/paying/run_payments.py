"""The payments of a run: its pay book, opened with the people of its folder or database."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple

from understudy.record import Log
from understudy.record.log import now_ms
from understudy.serve.people.people import People
from understudy.workflow.paying.pay_book import PayBook
from understudy.workflow.runs.run_folder import Run


class OpenBook(NamedTuple):
    """A pay book and the log that it is kept in."""

    book: PayBook
    log: Log


@contextmanager
def open_book(run: Run, actor: str, clock: Callable[[], int] = now_ms) -> Iterator[OpenBook]:
    """Open the pay book of a run in the name of somebody."""
    with run.open_log() as log:
        fields = _fields_of(run, log)
        yield OpenBook(PayBook(log, run.script.study, fields_of=fields, now_ms=clock, actor=actor), log)


def _fields_of(run: Run, log: Log) -> Callable[[str], Mapping[str, str]]:
    if log.is_shared:
        return lambda participant_id: log.recruiter_fields(run.script.study.name, participant_id)
    path = run.folder / "people.sqlite"
    # Opening the list would create it, and a run without one has nobody in it.
    return People(path).fields_of if path.exists() else lambda _: {}
