"""Journey: the disk fills up, or another program locks the log, while people take part over HTTP.

They are told kindly, nothing acknowledged is lost, and everybody finishes when the trouble is over.
"""

import asyncio
import resource
import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from multiprocessing.context import ForkServerContext
from multiprocessing.synchronize import Event
from pathlib import Path

import httpx
import pytest

from tests.journeys.http_people import StubbornPerson
from tests.journeys.test_server_faults import Keeper, as_sent, forkserver
from tests.loops import finished
from tests.ports import free_port
from tests.small_studies import two_groups
from understudy.prepare import prepare, write_prepared
from understudy.record import open_log

N_PEOPLE = 8
N_BEFORE = 40
"""Acknowledgements before the trouble starts."""
_POLL_S = 0.02
KIND = "Answers cannot be stored just now. What was acknowledged is safe; please try again."

context = forkserver
Trouble = Callable[[int], None]


class Journey:
    """People at a server that gets into trouble in their midst, and out of it once somebody was refused."""

    def __init__(self, context: ForkServerContext, folder: Path) -> None:
        self._folder = folder
        self._port = free_port()
        self._keeper = Keeper(context, folder, self._port)
        self._n_acknowledged = 0
        self._is_due = asyncio.Event()
        base = f"http://127.0.0.1:{self._port}"
        self.people = [StubbornPerson(base, "two-groups", k, self._count) for k in range(N_PEOPLE)]
        self.ready: list[int] = []

    async def run(self, begin: Trouble, end: Trouble) -> None:
        """Take part while trouble begins and ends; both get the server's process id."""
        process = self._keeper.start(wait_ms=200)
        assert process.pid is not None
        await self._keeper.until_healthy()
        try:
            await asyncio.gather(
                self._trouble(process.pid, begin, end), *(person.take_part() for person in self.people)
            )
        finally:
            process.terminate()
            await asyncio.to_thread(process.join)

    async def _trouble(self, pid: int, begin: Trouble, end: Trouble) -> None:
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{self._port}", timeout=30) as client:
            await self._is_due.wait()
            begin(pid)
            while not all(503 in person.statuses for person in self.people):
                await asyncio.sleep(_POLL_S)
            self.ready.append((await client.get("/readyz")).status_code)
            end(pid)
            self.ready.append((await client.get("/readyz")).status_code)

    def _count(self) -> None:
        self._n_acknowledged += 1
        if self._n_acknowledged == N_BEFORE:
            self._is_due.set()

    def check(self) -> None:
        """Claim that all was told, all finished, and all that was sent is stored once and in order."""
        with open_log(self._folder / "events.sqlite") as log:
            stored = {events[0].session_id: events for events in log.sessions()}
        assert self.ready == [503, 200]
        assert set().union(*(person.said for person in self.people)) == {KIND}
        assert {person.outcome for person in self.people} == {"completed"}
        for person in self.people:
            assert [as_sent(event) for event in stored[person.session_id] if event.stream == "page"] == person.sent
            assert person.n_acknowledged == len(person.sent)


def prepared_in(folder: Path) -> Path:
    return write_prepared(prepare(two_groups(assignment={"quota": N_PEOPLE // 2}), Path()), folder)


@contextmanager
def tiny_disk(place: Path) -> Iterator[Path]:
    """Mount a disk of four megabytes; skipped where that is not allowed."""
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", place], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("Only somebody with the right to mount can give the server a disk of its own.")
    try:
        yield place
    finally:
        subprocess.run(["umount", place], check=True)


def fill(path: Path) -> None:
    """Take all the space that is left."""
    with path.open("wb", buffering=0) as ballast, suppress(OSError):
        # Until the disk itself says no: the server writes meanwhile, so what was free a moment ago is not.
        while True:
            ballast.write(b"\0" * 4096)
    assert shutil.disk_usage(path.parent).free == 0


def test_a_full_disk_loses_nothing_and_everybody_finishes(context: ForkServerContext, tmp_path: Path) -> None:
    with tiny_disk(tmp_path / "disk") as disk:
        journey = Journey(context, prepared_in(disk / "run"))
        ballast = disk / "ballast"
        finished(journey.run(lambda _: fill(ballast), lambda _: ballast.unlink()))
        journey.check()


def test_a_file_that_may_not_grow_loses_nothing_either(context: ForkServerContext, tmp_path: Path) -> None:
    def limit(pid: int, size: int) -> None:
        _, most = resource.prlimit(pid, resource.RLIMIT_FSIZE)
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (size, most))

    journey = Journey(context, prepared_in(tmp_path))
    finished(journey.run(lambda pid: limit(pid, 0), lambda pid: limit(pid, resource.RLIM_INFINITY)))
    journey.check()


def hold(path: Path, is_held: Event, is_over: Event) -> None:
    """Keep a log locked, as another program would."""
    with closing(sqlite3.connect(path, isolation_level=None)) as holder:
        holder.execute("BEGIN IMMEDIATE")
        is_held.set()
        is_over.wait()
        holder.execute("ROLLBACK")


def test_a_log_locked_by_another_process_loses_nothing(context: ForkServerContext, tmp_path: Path) -> None:
    journey = Journey(context, prepared_in(tmp_path))
    is_held, is_over = context.Event(), context.Event()
    other = context.Process(target=hold, args=(tmp_path / "events.sqlite", is_held, is_over))

    def lock(_: int) -> None:
        other.start()
        is_held.wait()

    def release(_: int) -> None:
        is_over.set()
        other.join()

    finished(journey.run(lock, release))
    journey.check()
