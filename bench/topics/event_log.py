"""Event log: submissions of ten events made durable per second, one to sixty-four at a time."""

import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from pathlib import Path

from measured import Bench, Row, Timing, Unavailable
from understudy.record import GroupWriter, open_log
from understudy.schema import Assignment, Interacted, ResponseGiven, SessionStarted

SEED, N_EVENTS, N_REPEATS = 0, 10, 3
_ROOT = Path(__file__).parents[2]


def submission(session_id: str, number: int) -> list[Interacted | ResponseGiven]:
    """Return nine moves of a dial and an answer, as one trial of a page sends them."""
    first = number * N_EVENTS + 1
    moves: list[Interacted | ResponseGiven] = [
        Interacted(
            session_id=session_id, seq=first + k, at_ms=2000 + first + k, step=number, trial_id=f"trial-{number}",
            action="dial_moved", payload={"dial": k % 5, "value": 0.125 * k, "distance": 0.5},
        )
        for k in range(N_EVENTS - 1)
    ]  # fmt: skip
    answer = ResponseGiven(
        session_id=session_id, seq=first + N_EVENTS - 1, at_ms=3000 + first, step=number, trial_id=f"trial-{number}",
        response={"guess": "yes", "confidence": 4}, rt_ms=812.5, active_ms=790.0,
    )  # fmt: skip
    return [*moves, answer]


def started(session_id: str) -> SessionStarted:
    """Return a session's first event."""
    return SessionStarted(
        session_id=session_id, seq=1, at_ms=1000, study_name="dials", study_digest="d" * 64,
        participant_id=f"person-{session_id}", participant_kind="synthetic",
        assignment=Assignment(arrival=0, condition="plain", levels={"aid": "plain"}, seed=7),
    )  # fmt: skip


def seconds_to_store(place: str, n_threads: int, n_each: int) -> float:
    """Return the wall seconds in which every thread gets all its submissions acknowledged, one after the other."""
    sessions = [f"{n_threads}-{time.time_ns()}-{k}" for k in range(n_threads)]
    batches = {session_id: [submission(session_id, number) for number in range(n_each)] for session_id in sessions}
    with open_log(place) as log, GroupWriter(log) as writer, ThreadPoolExecutor(n_threads) as pool:
        for session_id in sessions:
            writer.append([started(session_id)])

        def send(session_id: str) -> int:
            return sum(writer.append(batch) for batch in batches[session_id])

        start = time.perf_counter()
        stored = sum(pool.map(send, sessions))
        seconds = time.perf_counter() - start
    if stored != n_threads * n_each * N_EVENTS:
        raise AssertionError(f"{stored} events were stored, not {n_threads * n_each * N_EVENTS}")
    return seconds


@contextmanager
def sqlite_place() -> Iterator[str]:
    """Give a log file on the disk of this checkout, since a temporary folder may lie in memory."""
    with tempfile.TemporaryDirectory(dir=_ROOT, prefix=".bench-") as folder:
        yield str(Path(folder) / "log.sqlite")


@contextmanager
def postgres_place() -> Iterator[str]:
    """Give a database of the tests' own server, with fsync on."""
    sys.path.append(str(_ROOT))
    server = import_module("tests.postgres_server")
    programs = server.binaries()
    if programs is None:
        raise Unavailable("PostgreSQL's initdb and postgres are not on this machine")
    with server.running_server(programs) as running:
        yield running.new_database()


def stored(database: str, n_threads: int, is_quick: bool) -> Row:
    """Measure one database with one number of threads."""
    n_each = max(20, (400 if is_quick else 2000) // n_threads)
    place = sqlite_place if database == "SQLite" else postgres_place
    with place() as where:
        seconds_to_store(where, n_threads, 5)
        seconds = [seconds_to_store(where, n_threads, n_each) for _ in range(N_REPEATS)]
    n = n_threads * n_each
    best = min(seconds)
    threads = "1 thread" if n_threads == 1 else f"{n_threads} threads"
    return Row(
        what=f"Event log on {database}, durable submissions of 10 events, {threads}",
        n=n,
        seed=SEED,
        ours=Timing(best, max(seconds), N_REPEATS, "wall"),
        peer=None,
        method="No peer measured. Each thread waits until its submission is on disk before it sends the next; "
        "commits are shared.",
        reads=f"{n / best:,.0f} submissions/s, {n * N_EVENTS / best:,.0f} events/s",
        target=">= 2,000 batched events/s",
    )


ROWS = tuple(
    Bench(f"{database}, {n_threads} at a time", partial(stored, database, n_threads))
    for database in ("SQLite", "PostgreSQL")
    for n_threads in (1, 8, 64)
)
