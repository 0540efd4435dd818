"""Journey: writers, and the PostgreSQL server itself, are killed -9 at random moments, 200 times on each database.

The first 40 of them are part of every run of the tests.

Every acknowledged event must be there once and in order; beyond that at most the one batch that was under way,
whole. A kill stops a program and not the machine: loss of power is not tested here.
"""

import itertools
import multiprocessing
import os
import sqlite3
from collections.abc import Callable, Iterator
from multiprocessing.context import ForkServerContext, ForkServerProcess
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from tests.journeys.killed_writer import Task, WriteMode, batches_of, write_until_killed
from tests.postgres_server import PostgresServer
from understudy.record import Log, open_log
from understudy.schema import Event

pytest_plugins = ["tests.log_places"]

N_KILLS = (40, pytest.param(200, marks=pytest.mark.thorough))
KILLS_FOR_EACH_OF_THE_SERVER = 10
LONGEST_MS = 30.0
MOST_LINES = 8
"""A writer is killed after one to so many lines, and up to so many milliseconds later."""


@pytest.fixture(scope="module")
def context() -> ForkServerContext:
    """Processes forked from a server that has imported the log already, so that each starts in milliseconds."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["understudy.record", "sqlalchemy.dialects.sqlite", "psycopg", "tests.log_events"])
    return context


class Trial(NamedTuple):
    """One process, what it was to write, and what it said."""

    task: Task
    lines: list[str]

    def n_durable(self, session_id: str) -> int:
        """How many batches of a session were acknowledged; they come in order, or the writer is broken."""
        numbers = [int(line.split()[2]) for line in self.lines if line.startswith(f"durable {session_id} ")]
        assert numbers == list(range(len(numbers)))
        return len(numbers)


def run_until(
    task: Task, context: ForkServerContext, kill: Callable[[ForkServerProcess], None], *, n_said: int
) -> Trial:
    """Start a writer, end it in the given way once it has said so many lines, and collect what it had said."""
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=write_until_killed, args=(task, theirs))
    process.start()
    theirs.close()
    said = b""
    # Lines and not time alone, so that much is written on a busy machine too.
    while said.count(b"\n") < n_said and (more := os.read(ours.fileno(), 65536)):
        said += more
    kill(process)
    while more := os.read(ours.fileno(), 65536):
        said += more
    process.join()
    ours.close()
    return Trial(task, said.decode().splitlines())


def kill_writer_after(delay_ms: float) -> Callable[[ForkServerProcess], None]:
    def kill(process: ForkServerProcess) -> None:
        process.join(timeout=delay_ms / 1000)
        process.kill()

    return kill


def check(trial: Trial, log: Log) -> int:
    """Hold what the log has against what was acknowledged; return the number of events that are there."""
    n_found = 0
    for session_id in trial.task.session_ids:
        n_durable = trial.n_durable(session_id)
        batches = list(itertools.islice(batches_of(session_id), n_durable + 1))
        promised = _story(batches[:n_durable])
        found = log.session(session_id) if log.session_of("dials", f"person-of-{session_id}") else ()
        assert found in (promised, _story(batches)), f"{session_id}: {len(found)} events, {len(promised)} promised"
        n_found += len(found)
    return n_found


def _story(batches: list[list[Event]]) -> tuple[Event, ...]:
    return tuple(itertools.chain.from_iterable(batches))


def tasks(place: str, n_trials: int) -> Iterator[Task]:
    """Yield what each trial writes: in turn one session by plain appends, and four at once through the group writer."""
    for number in range(n_trials):
        way: WriteMode = "grouped" if number % 2 else "plain"
        yield Task(place, way, tuple(f"s{number}-{part}" for part in range(4 if way == "grouped" else 1)))


@pytest.mark.parametrize("n_kills", N_KILLS)
def test_sqlite_keeps_what_it_acknowledged(n_kills: int, tmp_path: Path, context: ForkServerContext) -> None:
    place = str(tmp_path / "log.sqlite")
    rng = np.random.default_rng(20)
    n_found = n_durable = 0
    for task in tasks(place, n_kills):
        kill = kill_writer_after(rng.uniform(0, LONGEST_MS))
        trial = run_until(task, context, kill, n_said=int(rng.integers(1, MOST_LINES, endpoint=True)))
        with open_log(place) as log:  # opened anew, so that SQLite recovers from what the dead process left
            n_found += check(trial, log)
        n_durable += len(trial.lines) - 1
    with open_log(place) as log:
        assert log.count_events() == n_found
    assert sqlite3.connect(place).execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert n_durable > n_kills, "hardly anything was written before the kills, so they prove little"


@pytest.mark.parametrize("n_kills", N_KILLS)
def test_postgres_keeps_what_it_acknowledged(
    n_kills: int, postgres_server: PostgresServer, context: ForkServerContext
) -> None:
    place = postgres_server.new_database()
    rng = np.random.default_rng(21)
    n_found = n_durable = n_refused = 0
    for number, task in enumerate(tasks(place, n_kills)):
        delay_ms = rng.uniform(0, LONGEST_MS)
        kill = kill_writer_after(delay_ms)
        if number % KILLS_FOR_EACH_OF_THE_SERVER == 0:
            kill = _kill_server_after(delay_ms, postgres_server, only_of=place if number % 20 else None)
        trial = run_until(task, context, kill, n_said=int(rng.integers(1, MOST_LINES, endpoint=True)))
        postgres_server.wait_until_ready()
        postgres_server.wait_until_left(place)  # a commit under way may end after its client was killed
        with open_log(place) as log:
            n_found += check(trial, log)
        n_durable += sum(line.startswith("durable") for line in trial.lines)
        n_refused += any(line.startswith("refused") for line in trial.lines)
    with open_log(place) as log:
        assert log.count_events() == n_found
    assert n_refused > n_kills / KILLS_FOR_EACH_OF_THE_SERVER / 2, (
        "hardly any writer noticed that its server was killed"
    )
    assert n_durable > n_kills, "hardly anything was written before the kills, so they prove little"


def _kill_server_after(
    delay_ms: float, server: PostgresServer, *, only_of: str | None
) -> Callable[[ForkServerProcess], None]:
    """Kill -9 the processes that serve one log, or the whole server, and let the writer find out."""

    def kill(process: ForkServerProcess) -> None:
        process.join(timeout=delay_ms / 1000)
        if only_of is None:
            server.kill_all()
        else:
            server.kill_backends(only_of)
        process.join(timeout=5)
        process.kill()  # in case it found the server recovered already and writes on

    return kill


def test_several_processes_write_at_once(log_place: str, context: ForkServerContext) -> None:
    each = [Task(log_place, "grouped", (f"p{number}-a", f"p{number}-b"), n_batches=15) for number in range(3)]
    pipes = [context.Pipe(duplex=False) for _ in each]
    processes = [
        context.Process(target=write_until_killed, args=(task, theirs))
        for task, (_, theirs) in zip(each, pipes, strict=True)
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    with open_log(log_place) as log:
        found = {events[0].session_id: events for events in log.sessions()}
    assert found == {
        session_id: _story(list(itertools.islice(batches_of(session_id), 15)))
        for task in each
        for session_id in task.session_ids
    }
