"""Storage faults: a full disk and a locked log are told, cost time, and cost nothing acknowledged."""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import httpx
import pytest
import sqlalchemy as sa
from starlette.applications import Starlette

from tests.serve.stage_door import ADMIN, GENEROUS, SECRET, Hands, Person, folder_of, page_events, played, server
from tests.small_studies import two_groups
from understudy.actions.serve import served_from_folder
from understudy.errors import LogError
from understudy.record import open_log
from understudy.serve import close_app, create_app
from understudy.serve.desk.alerts import AlertWatch
from understudy.serve.people import People
from understudy.serve.settings import AlertSettings


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return folder_of(two_groups(), tmp_path)


@contextmanager
def tiny_disk(n_pages: int) -> Iterator[None]:
    """Every SQLite file opened meanwhile is full at so many pages."""

    def limit(dbapi: object, _record: object) -> None:
        assert isinstance(dbapi, sqlite3.Connection)
        dbapi.execute(f"PRAGMA max_page_count={n_pages}")

    sa.event.listen(sa.Engine, "connect", limit)
    try:
        yield
    finally:
        sa.event.remove(sa.Engine, "connect", limit)


def n_page_events(folder: Path) -> int:
    with open_log(folder / "events.sqlite") as log:
        return sum(event.stream == "page" for events in log.sessions() for event in events)


def test_a_full_disk_loses_nothing_acknowledged_and_the_session_goes_on_later(folder: Path) -> None:
    async def until_full(client: httpx.AsyncClient) -> Any:
        person = Person(client, "two-groups", PROLIFIC_PID="a")
        await person.start()
        shown = page_events(person.state, {})[0]
        assert (await person.send([shown])).status_code == 200
        for number in range(2, 60):
            moved = {**shown, "type": "interacted", "seq": number, "action": "x", "payload": {"blob": "x" * 4000}}
            got = await person.send([moved])
            if got.status_code != 200:
                return got.status_code, number - 1
        return 200, number

    async def later(client: httpx.AsyncClient) -> Any:
        person = Person(client, "two-groups", PROLIFIC_PID="a")
        await person.start(go_on=True)
        return person.state["next_seq"], (await person.finish())["outcome"]

    with tiny_disk(40), server(folder) as app:
        status, n_acknowledged = played(app, until_full)
    assert status == 503
    assert n_page_events(folder) == n_acknowledged
    with server(folder) as app:
        assert played(app, later) == (n_acknowledged + 1, "completed")


@contextmanager
def impatient_server(folder: Path) -> Iterator[Starlette]:
    """A server that waits only a moment for the log."""
    served = served_from_folder(folder)
    served.log.close()
    with open_log(folder / "events.sqlite", wait_ms=50) as log:
        app = create_app(
            [replace(served, log=log)], secret=SECRET, admin_token=ADMIN, clock=Hands(), settings=GENEROUS
        )  # fmt: skip
        try:
            yield app
        finally:
            close_app(app)


def test_a_locked_log_is_told_and_the_same_batch_succeeds_afterwards(folder: Path) -> None:
    async def play(client: httpx.AsyncClient) -> list[int]:
        person = Person(client, "two-groups")
        await person.start()
        batch = page_events(person.state, {"consent": "I agree"})
        with closing(sqlite3.connect(folder / "events.sqlite", isolation_level=None)) as holder:
            holder.execute("BEGIN IMMEDIATE")
            locked = await person.send(batch)
            holder.execute("ROLLBACK")
        return [locked.status_code, (await person.send(batch)).status_code]

    with impatient_server(folder) as app:
        assert played(app, play) == [503, 200]
    assert n_page_events(folder) == 3


def test_an_arrival_that_cannot_be_stored_holds_no_place(folder: Path) -> None:
    async def play(client: httpx.AsyncClient) -> Any:
        with closing(sqlite3.connect(folder / "events.sqlite", isolation_level=None)) as holder:
            holder.execute("BEGIN IMMEDIATE")
            got = await Person(client, "two-groups", PROLIFIC_PID="a").start()
            holder.execute("ROLLBACK")
        places = app.state.server.studies["two-groups"].ledger.places()
        again = await Person(client, "two-groups", PROLIFIC_PID="a").start()
        return got.status_code, sum(place.n_active for place in places), again.status_code

    with impatient_server(folder) as app:
        assert played(app, play) == (503, 0, 201)


@pytest.mark.parametrize("hours", [-5000, -1, 1, 7, 9000], ids=str)
def test_a_server_clock_that_jumps_keeps_everybody_in(folder: Path, hours: int) -> None:
    clock = Hands()

    async def play(client: httpx.AsyncClient) -> tuple[str, list[int]]:
        person = Person(client, "two-groups")
        await person.start()
        clock.ms += hours * 3_600_000
        await person.answer()
        await Person(client, "two-groups", PROLIFIC_PID="b").start()
        clock.ms -= 2 * hours * 3_600_000
        await app.state.server.studies["two-groups"].sweep()
        return str((await person.finish())["outcome"]), sequence_of(folder, person)

    with server(folder, clock=clock, seconds=lambda: 0.0) as app:
        outcome, seqs = played(app, play)
    assert outcome == "completed"
    assert seqs == list(range(1, len(seqs) + 1))


def sequence_of(folder: Path, person: Person) -> list[int]:
    """Return the numbers of a session's page events in the order in which they were stored."""
    with open_log(folder / "events.sqlite") as log:
        stored = log.session(person.token.partition(".")[0])
    return [event.seq for event in stored if event.stream == "page"]


def test_a_restart_gives_everybody_time_to_come_back(folder: Path) -> None:
    clock = Hands()

    async def begin(client: httpx.AsyncClient) -> None:
        person = Person(client, "two-groups", PROLIFIC_PID="a")
        await person.start()
        await person.answer()

    async def come_back(client: httpx.AsyncClient) -> str:
        await app.state.server.studies["two-groups"].sweep()
        person = Person(client, "two-groups", PROLIFIC_PID="a")
        await person.start(go_on=True)
        return str((await person.finish())["outcome"])

    with server(folder, clock=clock) as app:
        played(app, begin)
    clock.ms += 1000 * 3_600_000
    with server(folder, clock=clock) as app:
        assert played(app, come_back) == "completed"


def test_an_erasure_that_fails_is_told_and_succeeds_when_asked_again(folder: Path) -> None:
    async def play(client: httpx.AsyncClient) -> Any:
        person = Person(client, "two-groups", PROLIFIC_PID="5f00dcafe")
        await person.start()
        await person.answer()
        address = f"{person.base}/withdraw"
        with closing(sqlite3.connect(folder / "events.sqlite", isolation_level=None)) as holder:
            holder.execute("BEGIN IMMEDIATE")
            locked = await client.post(address, json={"erase": True}, headers=person.headers)
            holder.execute("ROLLBACK")
        again = await client.post(address, json={"erase": True}, headers=person.headers)
        return locked.status_code, again.status_code

    with impatient_server(folder) as app:
        assert played(app, play) == (503, 200)
    assert n_page_events(folder) == 0
    assert b"5f00dcafe" not in (folder / "people.sqlite").read_bytes()


def test_an_erasure_that_cannot_forget_the_person_is_told_and_finished_when_asked_again(folder: Path) -> None:
    async def play(client: httpx.AsyncClient) -> Any:
        person = Person(client, "two-groups", PROLIFIC_PID="5f00dcafe")
        await person.start()
        address = f"{person.base}/withdraw"
        with patch.object(People, "forget", side_effect=LogError("The list of people cannot be written.")):
            failed = await client.post(address, json={"erase": True}, headers=person.headers)
        again = await client.post(address, json={"erase": True}, headers=person.headers)
        return failed.status_code, again.status_code, again.json()["ended"]["is_erased"]

    with server(folder) as app:
        assert played(app, play) == (503, 200, True)
    assert b"5f00dcafe" not in (folder / "people.sqlite").read_bytes()


def test_a_page_that_is_ahead_of_the_log_is_told_and_so_are_researchers(folder: Path) -> None:
    """The log was replaced by an older one, and nothing else remembers."""

    async def begin(client: httpx.AsyncClient) -> tuple[str, str]:
        known, new = Person(client, "two-groups", PROLIFIC_PID="a"), Person(client, "two-groups", PROLIFIC_PID="b")
        await known.start()
        shutil.copy(folder / "events.sqlite", folder.parent / "older.sqlite")
        shutil.copy(folder / "events.sqlite-wal", folder.parent / "older.sqlite-wal")
        await known.answer()
        await new.start()
        return known.token, new.token

    async def go_on(client: httpx.AsyncClient) -> Any:
        told = []
        for token in tokens:
            moved = {
                "type": "interacted",
                "seq": 4,
                "step": 1,
                "trial_id": "x",
                "at_ms": 1,
                "action": "x",
                "payload": {},
            }
            headers = {"Authorization": f"Bearer {token}"}
            got = await client.post("/api/s/two-groups/events", json={"events": [moved]}, headers=headers)
            told.append((got.status_code, got.json().get("is_lost"), got.json().get("expected_seq")))
        hooked = AlertWatch(app.state.server, AlertSettings(free_bytes=lambda _: 10**12))
        with patch.object(hooked, "tell") as tell:
            await hooked.look()
            await hooked.look()
        return told, [call.args for call in tell.call_args_list]

    with server(folder) as app:
        tokens = played(app, begin)
    for ending in ("", "-wal"):
        shutil.copy(folder.parent / f"older.sqlite{ending}", folder / f"events.sqlite{ending}")
    (folder / "events.sqlite-acknowledged").unlink()
    (folder / "people.sqlite").unlink()
    with server(folder) as app:
        told, alerts = played(app, go_on)
    assert told == [(409, True, 1), (401, True, None)]
    ((kind, words, study),) = alerts
    assert (kind, study) == ("events_lost", "two-groups")
    assert words.startswith("two-groups: 2 pages went on from events that the log does not hold")
