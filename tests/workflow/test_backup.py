"""Backups: made under load, checked by digests, brought up to date, put back, and served from."""

import asyncio
import json
import os
import shutil
import signal
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.postgres_server import PostgresServer
from tests.serve.stage_door import Person, folder_of, page_events, played, server
from tests.shell import understudy
from tests.small_studies import two_groups
from understudy.record import lock_folder, open_log
from understudy.schema import RecordingStored
from understudy.workflow.backup import back_up, faults_in, restore
from understudy.workflow.backup_files import copy_files
from understudy.workflow.backup_manifest import manifest_in
from understudy.workflow.run_folder import existing_run, use_database

pytest_plugins = ["tests.log_places"]

STUDY = "two-groups"
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


def backed_up(folder: Path, target: Path) -> Any:
    return back_up(existing_run(folder), target, lambda: 1_700_000_000_000)


def one_step(*names: str) -> Callable[[httpx.AsyncClient], Any]:
    async def play(client: httpx.AsyncClient) -> None:
        for name in names:
            person = Person(client, STUDY, PROLIFIC_PID=name)
            await person.start()
            await person.answer()

    return play


def filled(folder: Path, *names: str) -> Path:
    """Let people begin in a served folder."""
    with server(folder) as app:
        played(app, one_step(*names))
    return folder


def stored_of(folder: Path) -> dict[str, int]:
    """Count the page events of every session."""
    with existing_run(folder).open_log() as log:
        sessions = {events[0].session_id: events for events in log.sessions(STUDY)}
    return {name: sum(event.stream == "page" for event in events) for name, events in sessions.items()}


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

    async def come_back(client: httpx.AsyncClient) -> tuple[int, int, str, int]:
        person = Person(client, STUDY, PROLIFIC_PID="a")
        await person.start()
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

    async def erase(client: httpx.AsyncClient) -> None:
        person = Person(client, STUDY, PROLIFIC_PID="5f00dcafe")
        await person.start()
        await client.post(f"{person.base}/withdraw", json={"erase": True}, headers=person.headers)

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

    monkeypatch.setattr("understudy.workflow.backup.copy_files", erasing)
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


# What is wrong is said, and the last good copy stays


def damaged(folder: Path) -> None:
    with closing(sqlite3.connect(folder / "events.sqlite", isolation_level=None)) as log:
        log.execute("DELETE FROM events WHERE stream = 'page' AND seq = 2")


def test_a_damaged_log_does_not_replace_a_whole_copy(folder: Path, tmp_path: Path) -> None:
    backed_up(filled(folder, "a"), tmp_path / "copy")
    damaged(folder)
    shown = understudy("backup", folder, tmp_path / "copy")
    assert (shown.code, "is damaged: 1 event that was stored is missing" in shown.err) == (2, True)
    assert list(faults_in(tmp_path / "copy")) == []


def test_an_older_log_does_not_replace_a_newer_copy(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(filled(folder, "a"), tmp_path / "older")
    backed_up(filled(folder, "b"), tmp_path / "copy")
    shown = understudy("backup", tmp_path / "older", tmp_path / "copy")
    assert (shown.code, "does not go on from the one in" in shown.err) == (2, True)
    assert len(stored_of(tmp_path / "copy")) == 2


def changed(path: Path) -> None:
    path.chmod(0o600)
    path.write_bytes(path.read_bytes() + b" ")


FAULTS: dict[str, tuple[Callable[[Path], object], str]] = {
    "an event is missing": (damaged, "is damaged: 1 event that was stored is missing"),
    "a file is missing": (lambda copy: (copy / "answers.json").unlink(), "answers.json is missing from the backup."),
    "a file was changed": (lambda copy: changed(copy / "study.json"), "study.json is not what was backed up."),
    "the log is missing": (lambda copy: (copy / "events.sqlite").unlink(), "events.sqlite is missing from the backup."),
    "the people were changed": (lambda copy: changed(copy / "people.sqlite"), "people.sqlite is not what was backed up."),
    "the people are noise": (
        lambda copy: (copy / "people.sqlite").write_bytes(bytes(range(256))), "people.sqlite is not what was backed up."
    ),
    "the people are missing": (lambda copy: (copy / "people.sqlite").unlink(), "people.sqlite is missing from the backup."),
    "a file was added": (lambda copy: (copy / "more.txt").write_text("x"), "more.txt was not backed up"),
    "a journal was added": (lambda copy: (copy / "people.sqlite-wal").write_text("x"), "-wal was not backed up"),
    "a database was added": (lambda copy: (copy / "researchers.sqlite").write_text("x"), "researchers.sqlite was not"),
    "the list is missing": (lambda copy: (copy / "backup.json").unlink(), "has no backup.json, so it is not a backup"),
    "the list is broken": (lambda copy: (copy / "backup.json").write_text("{"), "cannot be read as the list of a backup"),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_a_faulty_backup_is_not_put_back(folder: Path, tmp_path: Path, fault: str) -> None:
    plant, said = FAULTS[fault]
    backed_up(filled(folder, "a"), tmp_path / "copy")
    plant(tmp_path / "copy")
    for words in (["--check"], [tmp_path / "again"]):
        shown = understudy("restore", tmp_path / "copy", *words)
        assert (shown.code, said in shown.err) == (2, True), shown.err
    assert not (tmp_path / "again").exists()


def without_databases(copy: Path) -> None:
    """Write the list of a backup as older versions did."""
    manifest = json.loads((copy / "backup.json").read_text())
    manifest["files"] = {name: mark for name, mark in manifest["files"].items() if not name.endswith(".sqlite")}
    (copy / "backup.json").write_text(json.dumps(manifest))


def test_a_backup_of_an_older_version_is_put_back_and_its_gaps_are_told(folder: Path, tmp_path: Path) -> None:
    backed_up(filled(folder, "a"), tmp_path / "copy")
    without_databases(tmp_path / "copy")
    shown = understudy("restore", tmp_path / "copy", "--check")
    assert "whole, as far as can be told. It cannot vouch that people.sqlite and all other files" in shown.out
    assert "an older version of understudy wrote it; run understudy backup again." in shown.out
    assert understudy("restore", tmp_path / "copy", tmp_path / "again").code == 0


def test_an_interrupted_backup_can_still_be_put_back(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    backed_up(filled(folder, "a"), tmp_path / "copy")
    filled(folder, "b")

    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("understudy.workflow.backup.copy_files", interrupted)
        with pytest.raises(KeyboardInterrupt):
            backed_up(folder, tmp_path / "copy")
    assert "when that was interrupted" in understudy("restore", tmp_path / "copy", "--check").out
    restore(tmp_path / "copy", tmp_path / "again")
    assert len(stored_of(tmp_path / "again")) == 2
    backed_up(folder, tmp_path / "copy")
    assert "is whole: every file" in understudy("restore", tmp_path / "copy", "--check").out


def test_a_recording_that_is_not_there_is_named(folder: Path, tmp_path: Path) -> None:
    filled(folder, "a")
    with open_log(folder / "events.sqlite") as log:
        session_id = next(log.summaries(STUDY)).session_id
        log.append([RecordingStored(
            session_id=session_id, seq=1, at_ms=1, block_id="talk", part=1, chunk=1, started_ms=1, media="webm",
            n_bytes=5, sha256="0" * 64,
        )])  # fmt: skip
    (folder / "recordings").mkdir()
    (folder / "recordings" / "note.txt").write_text("kept")
    backed_up(folder, tmp_path / "copy")
    assert ["talk.webm, which does not exist" in fault for fault in faults_in(tmp_path / "copy")] == [True]


def refused(*words: Any) -> str:
    shown = understudy(*words)
    assert shown.code == 2
    return shown.err


def test_a_folder_with_other_files_is_left_alone(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("x")
    assert "holds other files, and no backup" in refused("backup", folder, tmp_path / "mine")
    assert "lie in each other" in refused("backup", folder, folder / "copy")
    assert "is a file; give a folder" in refused("backup", folder, tmp_path / "mine" / "thesis.txt")


def test_a_backup_of_another_version_stays(folder: Path, tmp_path: Path) -> None:
    backed_up(folder, tmp_path / "copy")
    other = folder_of(two_groups(title="Another title"), tmp_path / "other")
    assert "in another version" in refused("backup", other, tmp_path / "copy")


def test_nobody_writes_to_a_copy_that_is_served(folder: Path, tmp_path: Path) -> None:
    backed_up(folder, tmp_path / "copy")
    with lock_folder(tmp_path / "copy"):
        assert "is in use by another understudy serve" in refused("backup", folder, tmp_path / "copy")


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
