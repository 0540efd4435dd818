"""Backups: made under load, checked by digests, brought up to date, put back, and served from."""

import asyncio
import json
import os
import signal
import sqlite3
import stat
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.postgres_server import PostgresServer
from tests.serve.stage_door import Person, folder_of, page_events, played, server
from tests.shell import understudy
from tests.small_studies import two_groups
from tests.workflow.backup_scene import STUDY, backed_up, damaged, filled, refused, stored_of, token_in
from understudy.actions.backup import copy_files, faults_in, manifest_in, restore
from understudy.actions.run_folder import existing_run, use_database
from understudy.record import open_log

pytest_plugins = ["tests.log_places"]

N_PEOPLE = 12


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return folder_of(two_groups(), tmp_path / "run")


@pytest.fixture
def shared_folder(folder: Path, postgres_server: PostgresServer) -> Path:
    use_database(existing_run(folder), postgres_server.new_schema())
    return folder


@pytest.fixture(params=["sqlite", "postgres"])
def any_folder(request: pytest.FixtureRequest) -> Path:
    found = request.getfixturevalue("folder" if request.param == "sqlite" else "shared_folder")
    assert isinstance(found, Path)
    return found


async def under_load(client: httpx.AsyncClient, folder: Path, target: Path) -> list[dict[str, int]]:
    """Let everybody take part at once, and back up three times amid it; return what was acknowledged before each."""
    people = [Person(client, STUDY, PROLIFIC_PID=f"person-{k}") for k in range(N_PEOPLE)]
    acknowledged: list[dict[str, int]] = []

    async def take_part(person: Person) -> None:
        await person.start()
        while person.state["ended"] is None:
            await person.answer()

    async def copy() -> None:
        for k in range(3):
            while sum(bool(person.token) for person in people) < N_PEOPLE // 2 * (k > 0):
                await asyncio.sleep(0)
            acknowledged.append(
                {person.token.partition(".")[0]: person.state["next_seq"] - 1 for person in people if person.token}
            )
            await asyncio.to_thread(backed_up, folder, target / str(k))

    await asyncio.gather(copy(), *(take_part(person) for person in people))
    return acknowledged


def test_a_backup_under_load_holds_everything_acknowledged_before_it(any_folder: Path, tmp_path: Path) -> None:
    with server(any_folder) as app:
        acknowledged = played(app, lambda client: under_load(client, any_folder, tmp_path / "copies"))
    for k, before in enumerate(acknowledged):
        stored = stored_of(tmp_path / "copies" / str(k))
        assert all(stored[session_id] >= n for session_id, n in before.items())
        assert list(faults_in(tmp_path / "copies" / str(k))) == []
    assert sum(acknowledged[-1].values()) > 0


def test_a_restored_run_goes_on_taking_answers(any_folder: Path, tmp_path: Path) -> None:
    backed_up(filled(any_folder, "a", "b"), tmp_path / "copy")
    restore(tmp_path / "copy", tmp_path / "again")
    token = token_in(tmp_path / "again", "a")

    async def come_back(client: httpx.AsyncClient) -> tuple[int, int, str, int]:
        person = Person(client, STUDY, PROLIFIC_PID="a")
        person.token = token
        await person.fetch()
        # A page that went on after the backup is told that the server knows less, and asks from where to go on.
        ahead = await person.send([{**event, "seq": event["seq"] + 3} for event in page_events(person.state, {})])
        newcomer = await Person(client, STUDY, PROLIFIC_PID="c").start()
        n_next = person.state["next_seq"]
        return ahead.status_code, n_next, (await person.finish())["outcome"], newcomer.status_code

    with server(tmp_path / "again") as app:
        assert played(app, come_back) == (409, 4, "completed", 201)
    with existing_run(tmp_path / "again").open_log() as log:
        assert log.damage() is None
        assert log.count_sessions(STUDY) == 3


def test_a_run_moves_from_its_file_to_a_database(folder: Path, tmp_path: Path, postgres_server: PostgresServer) -> None:
    backed_up(filled(folder, "a"), tmp_path / "copy")
    restore(tmp_path / "copy", tmp_path / "again", postgres_server.new_schema())
    filled(tmp_path / "again", "a", "b")
    run = existing_run(tmp_path / "again")
    assert not run.log_path.exists()
    with run.open_log() as log:
        assert (log.is_shared, log.count_sessions(STUDY), log.damage()) == (True, 2, None)
        assert [fields["PROLIFIC_PID"] for fields in log.people(STUDY).values()] == ["a", "b"]


def test_a_database_that_holds_something_is_not_poured_into(
    folder: Path, tmp_path: Path, postgres_server: PostgresServer
) -> None:
    url = postgres_server.new_schema()
    backed_up(filled(folder, "a"), tmp_path / "copy")
    restore(tmp_path / "copy", tmp_path / "first", url)
    shown = understudy("restore", tmp_path / "copy", tmp_path / "second", "--database", url)
    assert shown.code == 2
    assert "is not empty; give the address of an empty database." in shown.err


def test_a_backup_keeps_who_everybody_is_but_nobody_who_came_later(folder: Path, tmp_path: Path) -> None:
    backed_up(filled(folder, "a"), tmp_path / "copy")
    with closing(sqlite3.connect(tmp_path / "copy" / "people.sqlite")) as people:
        assert people.execute("SELECT count(*) FROM people").fetchone() == (1,)
        assert people.execute("SELECT n_sessions FROM log_size").fetchone() == (1,)


def test_an_erased_person_leaves_the_backup_with_the_next_one(folder: Path, tmp_path: Path) -> None:
    filled(folder, "5f00dcafe", "b")
    with open_log(folder / "events.sqlite") as log:
        session_id = next(log.summaries(STUDY)).session_id
    (folder / "recordings" / session_id).mkdir(parents=True)
    (folder / "recordings" / session_id / "001-talk.webm").write_bytes(b"voice")
    backed_up(folder, tmp_path / "copy")
    token = token_in(folder, "5f00dcafe")

    async def erase(client: httpx.AsyncClient) -> None:
        person = Person(client, STUDY, PROLIFIC_PID="5f00dcafe")
        person.token = token
        erased = await client.post(f"{person.base}/withdraw", json={"erase": True}, headers=person.headers)
        assert erased.status_code == 200

    with server(folder) as app:
        played(app, erase)
    backed_up(folder, tmp_path / "copy")
    assert len(stored_of(tmp_path / "copy")) == 1
    assert not list((tmp_path / "copy" / "recordings").rglob("*.webm"))
    assert not any(b"5f00dcafe" in path.read_bytes() for path in (tmp_path / "copy").iterdir() if path.is_file())


def test_who_was_erased_after_the_backup_stays_erased(folder: Path, tmp_path: Path) -> None:
    backed_up(filled(folder, "5f00dcafe", "b"), tmp_path / "copy")
    with open_log(folder / "events.sqlite") as log:
        log.erase(next(log.summaries(STUDY)).session_id)
    shown = understudy("restore", tmp_path / "copy", tmp_path / "again", "--erasures-of", folder)
    assert shown.code == 0, shown.err
    assert stored_of(tmp_path / "again") == stored_of(folder)
    assert not any(b"5f00dcafe" in path.read_bytes() for path in (tmp_path / "again").iterdir() if path.is_file())
    filled(tmp_path / "again", "c")


def test_a_recording_that_grows_is_copied_again(folder: Path, tmp_path: Path) -> None:
    voice = Path("recordings") / "s" / "001-talk.webm"
    (folder / voice).parent.mkdir(parents=True)
    for content in (b"first", b"first and more"):
        (folder / voice).write_bytes(content)
        backed_up(folder, tmp_path / "copy")
        assert (tmp_path / "copy" / voice).read_bytes() == content


def test_somebody_erased_while_a_backup_is_made_is_not_in_it(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(folder, "a", "b")
    calls: list[int] = []

    def erasing(*given: Any) -> Any:
        if not calls:
            with open_log(folder / "events.sqlite") as log:
                log.erase(next(log.summaries(STUDY)).session_id)
        calls.append(1)
        return copy_files(*given)

    monkeypatch.setattr("understudy.actions.backup.copy_files", erasing)
    backed_up(folder, tmp_path / "copy")
    assert (len(calls), len(stored_of(tmp_path / "copy"))) == (2, 1)


def test_only_what_changed_is_copied_again(folder: Path, tmp_path: Path) -> None:
    backed_up(filled(folder, "a"), tmp_path / "copy")
    before = {path: path.stat().st_ino for path in (tmp_path / "copy").rglob("*.json") if path.name != "backup.json"}
    (folder / "allowed_ids.txt").write_text("a\n")
    backed_up(folder, tmp_path / "copy")
    assert {path: path.stat().st_ino for path in before} == before
    assert (tmp_path / "copy" / "allowed_ids.txt").read_text() == "a\n"


def test_only_the_owner_can_read_a_backup(folder: Path, tmp_path: Path) -> None:
    (folder / "serve.secret").write_text(json.dumps({"secret": "x", "admin_token": "y"}))
    backed_up(filled(folder, "a"), tmp_path / "copy")
    restore(tmp_path / "copy", tmp_path / "again")
    for top in (tmp_path / "copy", tmp_path / "again"):
        modes = {stat.S_IMODE(path.stat().st_mode) & 0o077 for path in (top / "serve.secret", top / "events.sqlite")}
        assert modes == {0}
        assert stat.S_IMODE(top.stat().st_mode) == 0o700


# The commands


def test_the_commands_say_what_they_did(folder: Path, tmp_path: Path) -> None:
    filled(folder, "a")
    first = understudy("backup", folder, tmp_path / "copy")
    assert f"Copied {folder} to {tmp_path / 'copy'}: 4 events of 1 session, everything up to " in first.out
    assert "has no serve.secret" in first.out
    assert understudy("restore", tmp_path / "copy", "--check").out.startswith(f"{tmp_path / 'copy'} is whole")
    shown = understudy("restore", tmp_path / "copy", tmp_path / "again")
    assert shown.out.splitlines()[-1] == f"Next: understudy serve {tmp_path / 'again'}"
    assert "Give a new folder for the run, or --check" in refused("restore", tmp_path / "copy")


def test_a_warm_copy_follows_the_run_until_it_is_stopped(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []

    def meanwhile(pause_s: float) -> None:
        pauses.append(pause_s)
        if len(pauses) == 1:
            filled(folder, "a")
        elif len(pauses) == 2:
            damaged(folder)
        else:
            os.kill(os.getpid(), signal.SIGTERM)

    monkeypatch.setattr("understudy.cli.backup.time.sleep", meanwhile)
    usual = signal.getsignal(signal.SIGTERM)
    try:
        shown = understudy("backup", folder, tmp_path / "copy", "--every", 5)
    finally:
        signal.signal(signal.SIGTERM, usual)
    assert pauses == [300, 300, 300]
    assert ["0 events" in shown.out, "4 events" in shown.out, shown.out.endswith("Stopped.\n")] == [True] * 3
    assert "is damaged" in shown.err
    manifest = manifest_in(tmp_path / "copy")
    assert manifest is not None
    assert manifest.n_events == 4


def test_positions_of_erased_events_are_not_given_again_by_a_copy(
    shared_folder: Path, tmp_path: Path, postgres_server: PostgresServer
) -> None:
    filled(shared_folder, "a", "b")
    with existing_run(shared_folder).open_log() as log:
        newest = list(log.summaries(STUDY))[-1].session_id
        log.erase(newest)
    backed_up(shared_folder, tmp_path / "copy")
    restore(tmp_path / "copy", tmp_path / "file")
    restore(tmp_path / "copy", tmp_path / "base", postgres_server.new_schema())
    for again in (tmp_path / "file", tmp_path / "base"):
        filled(again, "c")
        with existing_run(again).open_log() as log:
            assert log.damage() is None
            log.erase(list(log.summaries(STUDY))[-1].session_id)
            assert log.damage() is None
