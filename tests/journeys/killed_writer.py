"""The process that the kill journey kills: it appends batches and says so after each that is durable."""

import itertools
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection
from typing import Literal, NamedTuple, TypeAlias

from tests.log_events import moves, started
from understudy.errors import LogError
from understudy.record import GroupWriter, open_log
from understudy.schema import Event

WriteMode: TypeAlias = Literal["plain", "grouped"]


class Task(NamedTuple):
    """What a process is to write, and where."""

    place: str
    way: WriteMode
    session_ids: tuple[str, ...]
    n_batches: int | None = None
    """None: on and on until killed."""


def batches_of(session_id: str) -> Iterator[list[Event]]:
    """Yield the batches of a session, always the same: its start with two events, then one to five at a time."""
    yield [started(session_id), *moves(session_id, 1, 2)]
    last = 2
    for number in itertools.count():
        n_events = 1 + (number * 7 + len(session_id)) % 5
        yield moves(session_id, last + 1, last + n_events)
        last += n_events


def write_until_killed(task: Task, answers: Connection) -> None:
    """Append each session in a thread of its own, with one line into the pipe for each batch that is durable."""
    with open_log(task.place) as log, GroupWriter(log) as writer:
        append = writer.append if task.way == "grouped" else log.append
        _say(answers, "writing")
        threads = [threading.Thread(target=_write, args=(append, each, answers, task)) for each in task.session_ids]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


def _write(append: Callable[[Sequence[Event]], int], session_id: str, answers: Connection, task: Task) -> None:
    for number, batch in enumerate(itertools.islice(batches_of(session_id), task.n_batches)):
        try:
            append(batch)
        except LogError as refusal:  # the server was killed under us
            _say(answers, f"refused {session_id} {str(refusal)[:200]}")
            return
        _say(answers, f"durable {session_id} {number}")


def _say(answers: Connection, line: str) -> None:
    # One system call, shorter than a pipe's atomic size: a line is either there or not, whenever we are killed.
    os.write(answers.fileno(), f"{line}\n".encode())
