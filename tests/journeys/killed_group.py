"""Four servers on one database, by the command that people use; one of them is killed again and again.

Run this file for the full size: 300 people, and 20 kills, one every 5 seconds.
"""

import asyncio
import os
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import httpx

from tests.journeys.http_people import StubbornPerson
from tests.journeys.killed_server import ADMIN, SECRET
from tests.journeys.test_server_faults import as_sent
from tests.loops import finished
from tests.ports import free_port
from tests.postgres_server import binaries, running_server
from tests.small_studies import two_groups
from understudy.prepare import prepare, write_prepared
from understudy.record import open_log

N_SERVERS = 4
STUDY = "two-groups"
_POLL_S = 0.05


class Size(NamedTuple):
    """How much happens."""

    n_people: int
    n_places: int
    """Fewer than people, so that some find the study full."""
    n_kills: int
    every_s: float


FULL = Size(n_people=300, n_places=280, n_kills=20, every_s=5.0)
SMALL = Size(n_people=60, n_places=56, n_kills=4, every_s=2.0)


class Found(NamedTuple):
    """What is left when everybody has finished."""

    people: list[StubbornPerson]
    sessions: dict[str, tuple[Any, ...]]
    summaries: list[Any]
    n_kills: int
    exit_codes: list[int | None]
    damage: str | None

    @property
    def lost(self) -> list[str]:
        """Who misses an acknowledged event, or has it in another form or order."""
        return [person.pid for person in self.people if person.session_id and not self._has_all(person)]

    def _has_all(self, person: StubbornPerson) -> bool:
        page = [as_sent(event) for event in self.sessions[person.session_id] if event.stream == "page"]
        return page == person.sent and person.n_acknowledged == len(page)

    def __str__(self) -> str:
        """The result in one line."""
        arrivals = Counter(summary.assignment.arrival for summary in self.summaries)
        cells = Counter((summary.condition, summary.outcome) for summary in self.summaries)
        statuses = set().union(*(person.statuses for person in self.people))
        return (
            f"{self.n_kills} kills, {len(self.people)} people, {len(self.summaries)} sessions, "
            f"{sum(person.outcome == 'full' for person in self.people)} found no place; "
            f"arrival numbers 0 to {max(arrivals)}, {sum(n > 1 for n in arrivals.values())} given twice; "
            f"{dict(sorted(cells.items()))}; {sum(person.n_acknowledged for person in self.people)} acknowledged events, "
            f"{len(self.lost)} people lost one; {sum(person.n_retries for person in self.people)} broken connections; "
            f"statuses {sorted(statuses)}; chain {self.damage or 'whole'}"
        )


class Group:
    """The servers, each on a port of its own."""

    def __init__(self, folder: Path, url: str) -> None:
        self._folder = folder
        self._url = url
        self.ports = [free_port() for _ in range(N_SERVERS)]
        self.processes = [self._started(port) for port in self.ports]
        self.n_kills = 0

    @property
    def bases(self) -> list[str]:
        """The addresses of all servers."""
        return [f"http://127.0.0.1:{port}" for port in self.ports]

    def kill_next(self) -> None:
        """Kill -9 the next server and start it again."""
        which = self.n_kills % N_SERVERS
        self.processes[which].kill()
        self.processes[which].wait()
        self.n_kills += 1
        self.processes[which] = self._started(self.ports[which])

    def stop(self) -> list[int | None]:
        """Ask all to stop, and return how they ended."""
        for process in self.processes:
            process.send_signal(signal.SIGTERM)
        return [process.wait(timeout=60) for process in self.processes]

    async def until_healthy(self) -> None:
        """Wait until every server answers."""
        async with httpx.AsyncClient() as client:
            for base in self.bases:
                while True:
                    try:
                        await client.get(f"{base}/healthz")
                        break
                    except httpx.TransportError:
                        await asyncio.sleep(_POLL_S)

    def _started(self, port: int) -> "subprocess.Popen[bytes]":
        words = ["serve", str(self._folder), "--port", str(port), "--web", str(self._folder), "--database", self._url]
        secrets = {"UNDERSTUDY_SECRET": SECRET.decode(), "UNDERSTUDY_ADMIN_TOKEN": ADMIN}
        with (self._folder / "servers.log").open("ab") as output:
            return subprocess.Popen(
                [sys.executable, "-m", "understudy", *words], stdout=output, stderr=output, env=os.environ | secrets
            )


async def _kill_in_turn(group: Group, size: Size) -> None:
    for _ in range(size.n_kills):
        await asyncio.sleep(size.every_s)
        await asyncio.to_thread(group.kill_next)
    await group.until_healthy()


async def _take_part_from(person: StubbornPerson, start_s: float) -> None:
    await asyncio.sleep(start_s)
    await person.take_part()


async def _played(group: Group, size: Size) -> list[StubbornPerson]:
    await group.until_healthy()
    # People come and pause so that somebody is busy until the last kill.
    all_s = size.n_kills * size.every_s
    people = [
        StubbornPerson(group.bases, STUDY, k, lambda: None, pause_s=all_s / 60) for k in range(size.n_people)
    ]  # fmt: skip
    arriving = [_take_part_from(person, 0.8 * all_s * k / size.n_people) for k, person in enumerate(people)]
    await asyncio.gather(_kill_in_turn(group, size), *arriving)
    return people


@contextmanager
def _running(folder: Path, url: str) -> Iterator[Group]:
    group = Group(folder, url)
    try:
        yield group
    finally:
        for process in group.processes:
            process.kill()
            process.wait()


def found_after_kills(size: Size, folder: Path, url: str) -> Found:
    """Let people take part while servers die, and read what the log has then."""
    write_prepared(prepare(two_groups(assignment={"quota": size.n_places // 2}), Path()), folder)
    with _running(folder, url) as group:
        people = finished(_played(group, size))
        exit_codes = group.stop()
    with open_log(url) as log:
        sessions: dict[str, tuple[Any, ...]] = {events[0].session_id: events for events in log.sessions()}
        damage = log.damage()
        return Found(
            people, sessions, list(log.summaries(STUDY)), group.n_kills, exit_codes, damage.told if damage else None
        )


def main(arguments: Sequence[str]) -> None:
    """Print what is left after the full size, or after the small one with the word small."""
    programs = binaries()
    if programs is None:
        raise SystemExit("PostgreSQL's initdb and postgres are not on this machine.")
    size = SMALL if "small" in arguments else FULL
    with running_server(programs) as server, tempfile.TemporaryDirectory() as name:
        sys.stdout.write(f"{found_after_kills(size, Path(name), server.new_database())}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
