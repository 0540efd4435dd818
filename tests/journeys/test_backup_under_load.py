"""Journey: a server is backed up by the command while people take part, dies, and goes on from its backup."""

import asyncio
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.journeys.http_people import StubbornPerson
from tests.journeys.proxied_server import ServerProcess
from tests.loops import finished
from tests.shell import understudy
from tests.small_studies import two_groups
from understudy.prepare import prepare, write_prepared
from understudy.record import open_log
from understudy.schema import Event, ResponseGiven

N_PEOPLE = 20
N_BEFORE = 60
"""Acknowledgements before the backup begins."""


class Played(NamedTuple):
    """What happened under load."""

    acknowledged: dict[str, int]
    """Events of each session that were acknowledged before the backup began."""
    n_after: int
    """Acknowledgements while the backup was made."""


async def under_load(base: str, folder: Path, copy: Path) -> Played:
    n_acknowledged = 0
    is_due = asyncio.Event()

    def count() -> None:
        nonlocal n_acknowledged
        n_acknowledged += 1
        if n_acknowledged == N_BEFORE:
            is_due.set()

    people = [StubbornPerson(base, "two-groups", k, count, pause_s=0.1) for k in range(N_PEOPLE)]
    half = N_PEOPLE // 2

    async def back_up() -> Played:
        await is_due.wait()
        before = {person.session_id: person.n_acknowledged for person in people if person.session_id}
        words = [sys.executable, "-m", "understudy", "backup", str(folder), str(copy)]
        done = await asyncio.to_thread(subprocess.run, words, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return Played(before, n_acknowledged - N_BEFORE)

    copying = asyncio.create_task(back_up())
    await asyncio.gather(*(person.take_part() for person in people[:half]))
    played = await copying
    # The others come after the backup, which therefore knows less than the server.
    await asyncio.gather(*(person.take_part() for person in people[half:]))
    return played


async def come_back(base: str) -> set[str]:
    people = [StubbornPerson(base, "two-groups", k, lambda: None) for k in range(N_PEOPLE)]
    await asyncio.gather(*(person.take_part() for person in people))
    return {person.outcome for person in people}


def sessions_in(folder: Path) -> dict[str, Sequence[Event]]:
    with open_log(folder / "events.sqlite") as log:
        assert log.damage() is None
        return {events[0].session_id: events for events in log.sessions()}


def stored_in(folder: Path) -> dict[str, int]:
    return {name: sum(event.stream == "page" for event in events) for name, events in sessions_in(folder).items()}


def answers_in(folder: Path) -> dict[str, int]:
    return {
        name: sum(isinstance(event, ResponseGiven) for event in events) for name, events in sessions_in(folder).items()
    }


@pytest.mark.slow
def test_a_server_goes_on_from_a_backup_that_was_made_under_load(tmp_path: Path) -> None:
    folder = write_prepared(prepare(two_groups(assignment={"quota": N_PEOPLE // 2}), Path()), tmp_path / "run")
    server = ServerProcess(folder)
    server.start()
    try:
        played = finished(under_load(f"http://127.0.0.1:{server.port}", folder, tmp_path / "copy"))
    finally:
        server.close()
    shown = understudy("restore", tmp_path / "copy", tmp_path / "again")
    restored = stored_in(tmp_path / "again")
    whole = stored_in(folder)
    assert shown.code == 0, shown.err
    assert played.n_after > 0
    assert [name for name, n in played.acknowledged.items() if restored.get(name, 0) < n] == []
    assert sum(restored.values()) < sum(whole.values())
    again = ServerProcess(tmp_path / "again")
    again.start()
    try:
        # An id alone goes on with what was unfinished, and opens no finished session.
        assert {"completed"} <= finished(come_back(f"http://127.0.0.1:{again.port}")) <= {"completed", "known"}
    finally:
        again.close()
    # A page that was open when the copy was made is shown once more, but nothing is answered twice.
    finally_answered, answered = answers_in(tmp_path / "again"), answers_in(folder)
    assert len(finally_answered) == len(whole) == N_PEOPLE
    assert {name: finally_answered[name] for name in restored} == {name: answered[name] for name in restored}
