"""Whatever is wrong with a log's place, the researcher reads one clear sentence."""

import multiprocessing
import os
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from pathlib import Path

import pytest
import sqlalchemy as sa

from tests.log_events import moves, started
from tests.postgres_server import PostgresServer
from understudy.errors import LogError, MissingExtra
from understudy.record import open_log
from understudy.record.database import writing

pytest_plugins = ["tests.log_places"]

NOBODY = 65534


def sentence_of(act: Callable[[], object]) -> str:
    with pytest.raises(LogError) as refusal:
        act()
    return str(refusal.value)


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    said = sentence_of(lambda: open_log(tmp_path / "no" / "log.sqlite"))
    assert (
        said
        == f"The event log {tmp_path}/no/log.sqlite needs the folder {tmp_path}/no, which does not exist; create it first."
    )


def test_a_folder_is_no_log(tmp_path: Path) -> None:
    assert sentence_of(lambda: open_log(tmp_path)).endswith("is a folder; give the path of a file in it.")


def test_another_file_is_no_log(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("Dear diary, today I ran a study.\n" * 100)
    assert "is not a database; give the path of an event log" in sentence_of(lambda: open_log(tmp_path / "notes.txt"))


@pytest.mark.parametrize("place", [":memory:", "sqlite://"])
def test_memory_is_no_log(place: str) -> None:
    assert "needs a file" in sentence_of(lambda: open_log(place))


def test_other_databases_are_named() -> None:
    assert "cannot be kept in 'mysql'" in sentence_of(lambda: open_log("mysql://host/log"))


def test_a_url_that_makes_no_sense_is_refused() -> None:
    assert "URL of the event log cannot be read" in sentence_of(lambda: open_log("postgresql://host:port/log"))


def test_a_sqlite_url_is_a_path(tmp_path: Path) -> None:
    open_log(f"sqlite:///{tmp_path}/log.sqlite").close()
    assert (tmp_path / "log.sqlite").exists()


def test_a_percent_sign_in_a_path_does_no_harm(tmp_path: Path) -> None:
    with open_log(tmp_path / "100%(a) log.sqlite") as log:
        assert log.append([started("a")]) == 1


def test_a_damaged_log_is_told(tmp_path: Path) -> None:
    path = tmp_path / "log.sqlite"
    with open_log(path) as log:
        log.append([started("a"), *moves("a", 1, 500)])
    with path.open("r+b") as file:
        file.seek(4096 * 8)
        file.write(b"\xa5" * 4096 * 20)
    with open_log(path) as log:
        assert "is damaged; restore it from a backup" in sentence_of(lambda: list(log.sessions()))


def test_a_truncated_log_is_told(tmp_path: Path) -> None:
    path = tmp_path / "log.sqlite"
    with open_log(path) as log:
        log.append([started("a"), *moves("a", 1, 500)])
    os.truncate(path, 4096 * 3)
    assert "is damaged" in sentence_of(lambda: list(open_log(path).sessions()))


def test_an_unreadable_event_is_told(tmp_path: Path) -> None:
    path = tmp_path / "log.sqlite"
    with open_log(path) as log:
        log.append([started("a")])
        with sqlite3.connect(path) as connection:
            connection.execute("UPDATE events SET body = replace(body, 'session_started', 'session_stirred')")
        connection.close()
        assert "holds an event that this software cannot read" in sentence_of(lambda: log.session("a"))


def test_a_locked_log_is_told(tmp_path: Path) -> None:
    path = tmp_path / "log.sqlite"
    with open_log(path, wait_ms=20) as log:
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        assert "is locked by another process" in sentence_of(lambda: log.append([started("a")]))
        other.close()


@pytest.mark.parametrize("lock", ["IMMEDIATE", "EXCLUSIVE"])
def test_a_file_that_is_locked_before_it_is_a_log_is_told(tmp_path: Path, lock: str) -> None:
    other = sqlite3.connect(tmp_path / "log.sqlite", isolation_level=None)
    other.execute(f"BEGIN {lock}")
    assert "is locked by another process" in sentence_of(lambda: open_log(tmp_path / "log.sqlite", wait_ms=20))
    other.close()


def test_a_lock_that_is_let_go_is_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "log.sqlite"
    with open_log(path, wait_ms=20) as log:
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(LogError):
            log.append([started("a")])
        other.close()
        assert log.append([started("a")]) == 1


def test_a_locked_postgres_log_is_told(postgres_server: PostgresServer) -> None:
    place = postgres_server.new_database()
    with open_log(place, wait_ms=20) as log, open_log(place) as other, writing(other._database):
        assert "is locked by another process" in sentence_of(lambda: log.append([started("a")]))


@pytest.fixture
def tiny_disk() -> Iterator[None]:
    """Every SQLite file of the test is full at 40 pages."""

    def limit(dbapi: object, _record: object) -> None:
        assert isinstance(dbapi, sqlite3.Connection)
        dbapi.execute("PRAGMA max_page_count=40")

    sa.event.listen(sa.Engine, "connect", limit)
    yield
    sa.event.remove(sa.Engine, "connect", limit)


@pytest.mark.usefixtures("tiny_disk")
def test_a_full_disk_is_told_and_costs_nothing_acknowledged(tmp_path: Path) -> None:
    with open_log(tmp_path / "log.sqlite") as log:
        log.append([started("a"), *moves("a", 1, 10)])
        said = sentence_of(lambda: log.append(moves("a", 11, 2000)))
        assert "the disk is full; free some space and send the events again" in said
        assert log.session("a") == (started("a"), *moves("a", 1, 10))


def test_a_missing_driver_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(MissingExtra, match=r"run: pip install 'understudy\[postgres\]'"):
        open_log("postgresql://host/log")


def test_an_unreachable_server_is_told_without_the_password(tmp_path: Path) -> None:
    pytest.importorskip("psycopg", reason="needs the extra 'postgres'")
    said = sentence_of(lambda: open_log(f"postgresql://kim:hunter2@/log?host={tmp_path}"))
    assert "cannot be reached; check that its URL is right and its server runs" in said
    assert "hunter2" not in said


def test_a_database_that_does_not_exist_is_told(postgres_server: PostgresServer) -> None:
    assert 'database "nowhere" does not exist' in sentence_of(lambda: open_log(postgres_server.url("nowhere")))


def _open_unprivileged(path: Path, answer: Connection) -> None:
    if os.geteuid() == 0:
        os.setuid(NOBODY)
    try:
        open_log(path)
    except LogError as refusal:
        answer.send(str(refusal))
    answer.close()


@pytest.mark.parametrize("is_new", [True, False])
def test_a_read_only_folder_is_told(is_new: bool) -> None:
    # Root may write anywhere, so the attempt is made by a process that has given its rights away.
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if not is_new:
            open_log(folder / "log.sqlite").close()
        folder.chmod(0o555)
        context = multiprocessing.get_context("fork")
        ours, theirs = context.Pipe(duplex=False)
        process = context.Process(target=_open_unprivileged, args=(folder / "log.sqlite", theirs))
        process.start()
        theirs.close()
        assert "cannot be written; check the permissions" in ours.recv()
        process.join()
        folder.chmod(0o755)
