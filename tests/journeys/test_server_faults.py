"""Journey: the server dies again and again under its participants, and its disk and clock misbehave.

Nothing acknowledged may be lost or doubled, cells stay balanced, and everybody finishes.
"""

import asyncio
import multiprocessing
import os
import signal
from collections import Counter
from importlib.metadata import entry_points
from multiprocessing.context import ForkServerContext, ForkServerProcess
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.journeys.http_people import StubbornPerson
from tests.journeys.killed_server import SECRET, serve_until_killed
from tests.loops import finished
from tests.ports import free_port
from tests.small_studies import two_groups
from understudy.prepare import prepare, write_prepared
from understudy.record import open_log
from understudy.schema import Event
from understudy.serve.access import Keyring

N_PEOPLE = 50
N_KILLS = 20
_POLL_S = 0.02


@pytest.fixture(scope="module", name="context")
def forkserver() -> ForkServerContext:
    """Servers forked from a process that has imported everything, so that each starts in milliseconds."""
    context = multiprocessing.get_context("forkserver")
    catalogues = [point.value for point in entry_points(group="understudy.catalogues")]
    context.set_forkserver_preload(["understudy.actions.serve", "sqlalchemy.dialects.sqlite", *catalogues])
    return context


class Keeper:
    """Starts the server, kills it after so many acknowledgements, and starts it again."""

    def __init__(self, context: ForkServerContext, folder: Path, port: int) -> None:
        self._context = context
        self._folder = folder
        self._port = port
        self._n_acknowledged = 0
        self._is_due = asyncio.Event()
        self.n_kills = 0

    def start(self, *, wait_ms: int = 10_000) -> ForkServerProcess:
        process = self._context.Process(target=serve_until_killed, args=(self._folder, self._port, wait_ms))
        process.start()
        return process

    def count(self) -> None:
        """Count an acknowledgement; the kill falls amid the requests of everybody else."""
        self._n_acknowledged += 1
        if self._n_acknowledged >= (self.n_kills + 1) * 60 - self.n_kills * 7 % 20:
            self._is_due.set()

    async def keep(self) -> ForkServerProcess:
        """Kill and restart until enough have died, and return the survivor."""
        process = self.start()
        while self.n_kills < N_KILLS:
            await self.until_healthy()
            await self._is_due.wait()
            self._is_due.clear()
            process.kill()
            await asyncio.to_thread(process.join)
            assert process.exitcode == -signal.SIGKILL
            self.n_kills += 1
            process = self.start()
        await self.until_healthy()
        return process

    async def until_healthy(self) -> None:
        async with httpx.AsyncClient() as client:
            while True:
                try:
                    await client.get(f"http://127.0.0.1:{self._port}/healthz")
                except httpx.TransportError:
                    await asyncio.sleep(_POLL_S)
                else:
                    return


async def play(context: ForkServerContext, folder: Path) -> tuple[list[StubbornPerson], Keeper, int | None]:
    port = free_port()
    keeper = Keeper(context, folder, port)
    people = [StubbornPerson(f"http://127.0.0.1:{port}", "two-groups", k, keeper.count) for k in range(N_PEOPLE)]
    kept = asyncio.create_task(keeper.keep())
    await asyncio.gather(kept, *(person.take_part() for person in people))
    survivor = kept.result()
    assert survivor.pid is not None
    os.kill(survivor.pid, signal.SIGTERM)
    await asyncio.to_thread(survivor.join)
    return people, keeper, survivor.exitcode


def as_sent(event: Event) -> dict[str, Any]:
    """Return a stored event as its page had sent it, under the names that the page knows."""
    names = Keyring(SECRET).wire_names(event.session_id, ())
    sent = event.model_dump(mode="json", exclude={"session_id", "stream", "received_ms"}, exclude_none=True)
    return {**sent, "trial_id": names.of(sent["trial_id"])}


@pytest.mark.slow
def test_twenty_kills_under_fifty_people_lose_and_double_nothing(context: ForkServerContext, tmp_path: Path) -> None:
    folder = write_prepared(prepare(two_groups(assignment={"quota": N_PEOPLE // 2}), Path()), tmp_path)
    people, keeper, exitcode = finished(play(context, folder))
    with open_log(folder / "events.sqlite") as log:
        stored = {events[0].session_id: events for events in log.sessions()}
        summaries = list(log.summaries("two-groups"))
    assert keeper.n_kills == N_KILLS
    assert sum(person.n_retries for person in people) > N_KILLS
    assert {person.outcome for person in people} == {"completed"}
    assert Counter((summary.condition, summary.outcome) for summary in summaries) == {
        ("shown", "completed"): N_PEOPLE // 2,
        ("hidden", "completed"): N_PEOPLE // 2,
    }
    for person in people:
        page = [event for event in stored[person.session_id] if event.stream == "page"]
        assert [as_sent(event) for event in page] == person.sent
        assert person.n_acknowledged == len(page)
        assert [event.type for event in stored[person.session_id] if event.stream == "engine"] == [
            "session_started",
            "session_ended",
        ]
    assert set().union(*(person.statuses for person in people)) <= {200, 201, 410}
    assert exitcode == 0
