"""The settings that durability rests on are in force on every connection."""

import sqlite3
from pathlib import Path

import pytest
import sqlalchemy as sa

from tests.log_events import moved, started
from tests.postgres_server import PostgresServer, binaries, running_server
from understudy.errors import LogError
from understudy.record import Log, open_log
from understudy.record.database import reading, writing

pytest_plugins = ["tests.log_places"]


@pytest.mark.parametrize("hold", [reading, writing])
@pytest.mark.parametrize(
    ("setting", "value"), [("journal_mode", "wal"), ("synchronous", 2), ("foreign_keys", 1), ("busy_timeout", 1234)]
)
def test_sqlite_is_durable_and_patient(tmp_path: Path, hold: type, setting: str, value: object) -> None:
    with open_log(tmp_path / "log.sqlite", wait_ms=1234) as log, hold(log._database) as connection:
        assert connection.exec_driver_sql(f"PRAGMA {setting}").scalar() == value


def test_postgres_waits_for_the_disk_even_where_the_database_would_not(postgres_server: PostgresServer) -> None:
    place = postgres_server.new_database()
    with sa.create_engine(place, poolclass=sa.NullPool).begin() as connection:
        name = sa.make_url(place).database
        connection.execute(sa.text(f"ALTER DATABASE {name} SET synchronous_commit = off"))
    with open_log(place) as log, writing(log._database) as connection:
        assert connection.execute(sa.text("SHOW synchronous_commit")).scalar() == "on"


def test_a_postgres_server_that_does_not_flush_is_refused() -> None:
    pytest.importorskip("psycopg", reason="needs the extra 'postgres'")
    if (programs := binaries()) is None:
        pytest.skip("PostgreSQL's initdb and postgres are not on this machine")
    with running_server(programs, "fsync=off") as server, pytest.raises(LogError, match="fsync=off"):
        open_log(server.url("postgres"))


def test_an_event_without_a_session_cannot_be_stored(tmp_path: Path) -> None:
    with open_log(tmp_path / "log.sqlite") as log, pytest.raises(LogError, match="FOREIGN KEY"):
        _insert_orphan(log)


def _insert_orphan(log: Log) -> None:
    with writing(log._database) as connection:
        connection.execute(
            sa.text("INSERT INTO events (session_number, stream, seq, body) VALUES (77, 'page', 1, '{}')")
        )


def test_a_closed_log_leaves_its_file_and_what_it_acknowledged(tmp_path: Path) -> None:
    with open_log(tmp_path / "log.sqlite"):
        pass
    assert sorted(path.name for path in tmp_path.iterdir()) == ["log.sqlite", "log.sqlite-acknowledged"]


def test_positions_follow_the_order_of_commitment(tmp_path: Path) -> None:
    with open_log(tmp_path / "log.sqlite") as log:
        log.append([started("a"), started("b")])
        log.append([moved("b", 1)])
        log.append([moved("a", 1)])
    rows = sqlite3.connect(tmp_path / "log.sqlite").execute(
        "SELECT session_number, stream FROM events ORDER BY position"
    )
    assert rows.fetchall() == [(1, "engine"), (2, "engine"), (2, "page"), (1, "page")]
