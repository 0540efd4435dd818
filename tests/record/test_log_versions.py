"""A log of any version opens: new ones are made, old ones are completed, newer ones are refused."""

import json
import shutil
import sqlite3
from pathlib import Path

import pytest
import sqlalchemy as sa

from understudy.errors import LogError
from understudy.record import open_log
from understudy.record.tables import events, metadata, sessions, tombstones
from understudy.schema import Event, event_from_json
from understudy.schema.log_entries import DeskAction

pytest_plugins = ["tests.log_places"]

DATA = Path(__file__).parent / "data"


@pytest.fixture
def old_log(tmp_path: Path) -> Path:
    return Path(shutil.copy(DATA / "log-v1.sqlite", tmp_path / "old.sqlite"))


def url_of(log_place: str) -> str:
    return log_place if "://" in log_place else f"sqlite:///{log_place}"


def copied(log_place: str) -> str:
    """Make a log of version 0001 at a place, with the rows of the stored one."""
    if "://" not in log_place:
        return str(shutil.copy(DATA / "log-v1.sqlite", log_place))
    stored = sa.create_engine(f"sqlite:///{DATA / 'log-v1.sqlite'}", poolclass=sa.NullPool)
    with stored.connect() as source, sa.create_engine(log_place, poolclass=sa.NullPool).begin() as connection:
        metadata.create_all(connection, tables=[sessions, events, tombstones])
        connection.execute(sa.text("CREATE TABLE log_version (version_num VARCHAR(32) NOT NULL)"))
        connection.execute(sa.text("INSERT INTO log_version VALUES ('0001')"))
        for table in (sessions, events, tombstones):
            rows = [dict(row._mapping) for row in source.execute(sa.select(table))]
            connection.execute(sa.insert(table), rows)
        # Rows that bring their own numbers leave the sequences behind.
        for name, column in (("sessions", "number"), ("events", "position")):
            connection.execute(
                sa.text(f"SELECT setval(pg_get_serial_sequence('{name}', '{column}'), max({column})) FROM {name}")
            )
    return log_place


def test_a_log_of_version_1_is_completed_on_both_databases(log_place: str) -> None:
    with open_log(copied(log_place)) as log:
        assert list(log.sessions()) == [stored_story()]
        assert [stone.is_completed for stone in log.tombstones("dials")] == [True]
        assert log.damage() is None
        assert log.append([stored_story()[-1].model_copy(update={"seq": 2})]) == 1
        log.erase("kept")
        assert log.damage() is None


def shape_of(place: str) -> dict[str, object]:
    """Describe all tables of a log: columns, keys and indexes."""
    with sa.create_engine(url_of(place), poolclass=sa.NullPool).connect() as connection:
        looks = sa.inspect(connection)
        return {
            name: (
                {column["name"]: (str(column["type"]), column["nullable"]) for column in looks.get_columns(name)},
                looks.get_pk_constraint(name)["constrained_columns"],
                sorted(str(sorted(unique["column_names"])) for unique in looks.get_unique_constraints(name)),
                sorted(str(index["name"]) for index in looks.get_indexes(name)),
            )
            for name in sorted(looks.get_table_names())
        }


def test_a_completed_log_has_the_tables_of_a_new_one(old_log: Path, tmp_path: Path) -> None:
    open_log(old_log).close()
    open_log(tmp_path / "new.sqlite").close()
    assert shape_of(str(old_log)) == shape_of(str(tmp_path / "new.sqlite"))
    assert set(shape_of(str(old_log))) == {*metadata.tables, "log_version"}


def stored_story() -> tuple[Event, ...]:
    """What the session of the stored log says, kept beside it as text."""
    return tuple(event_from_json(line) for line in json.loads((DATA / "log-v1.json").read_text()))


def test_a_stored_log_of_version_1_is_read(old_log: Path) -> None:
    with open_log(old_log) as log:
        assert list(log.sessions()) == [stored_story()]


def test_the_summary_in_a_stored_log_of_version_1_is_read(old_log: Path) -> None:
    with open_log(old_log) as log:
        (summary,) = log.summaries("dials")
    assert (summary.condition, summary.assignment.orders, summary.outcome) == (
        "aided",
        {"model": ("b", "a")},
        "completed",
    )


def test_the_tombstone_in_a_stored_log_of_version_1_is_read(old_log: Path) -> None:
    with open_log(old_log) as log:
        assert [(stone.session_hash, stone.is_completed) for stone in log.tombstones("dials")] == [("gone", True)]


def test_a_stored_log_of_version_1_takes_more_events(old_log: Path) -> None:
    with open_log(old_log) as log:
        assert log.append([stored_story()[-1].model_copy(update={"seq": 2})]) == 1


def test_a_stored_log_of_version_1_has_no_registrations(old_log: Path) -> None:
    with open_log(old_log) as log:
        assert log.registrations("dials") == ()


def test_a_stored_log_of_version_1_takes_desk_actions(old_log: Path) -> None:
    paused = DeskAction(at_ms=5, study_name="dials", actor="ada", action="recruitment_paused")
    with open_log(old_log) as log:
        log.enter_desk_action(paused)
        assert (log.desk_actions("dials"), log.is_paused("dials"), log.is_paused("other")) == ((paused,), True, False)


@pytest.mark.parametrize("version", ["0004", "0099"])
def test_a_log_of_another_version_is_refused(old_log: Path, version: str) -> None:
    with sqlite3.connect(old_log) as connection:
        connection.execute("UPDATE log_version SET version_num = ?", (version,))
    connection.close()
    with pytest.raises(
        LogError, match=f"has version {version}, but this software reads versions 0001 and 0008; open it"
    ):
        open_log(old_log)


def test_a_database_of_something_else_is_refused(log_place: str) -> None:
    with sa.create_engine(url_of(log_place), poolclass=sa.NullPool).begin() as connection:
        connection.execute(sa.text("CREATE TABLE cakes (name TEXT)"))
    with pytest.raises(LogError, match=r"other tables in it \(cakes\); give the log a separate database"):
        open_log(log_place)
