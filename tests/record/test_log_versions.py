"""A log of any version opens: new ones are made, old ones are brought up to date, newer ones are refused."""

import json
import shutil
import sqlite3
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

import understudy.record.versions
from understudy.errors import LogError
from understudy.record import open_log
from understudy.record.chain import seal_all
from understudy.record.tables import metadata
from understudy.record.versions import VERSIONS, _config
from understudy.schema import Event, event_from_json
from understudy.schema.log_entries import DeskAction

pytest_plugins = ["tests.log_places"]

DATA = Path(__file__).parent / "data"


STORED = {"0001": "log-v1.sqlite", "0002": "log-v2.sqlite"}
"""Logs as released versions wrote them."""


@pytest.fixture
def old_log(tmp_path: Path) -> Path:
    return Path(shutil.copy(DATA / STORED["0001"], tmp_path / "old.sqlite"))


def url_of(log_place: str) -> str:
    return log_place if "://" in log_place else f"sqlite:///{log_place}"


def copied(version: str, log_place: str) -> str:
    """Make a log of an earlier version at a place, with the rows of the stored one."""
    newest = max(known for known in STORED if known <= version)
    stored = sa.create_engine(f"sqlite:///{DATA / STORED[newest]}", poolclass=sa.NullPool)
    target = sa.create_engine(url_of(log_place), poolclass=sa.NullPool)
    with stored.connect() as source, target.begin() as connection:
        command.upgrade(_config(connection), version)
        tables = sa.MetaData()
        tables.reflect(source)
        for table in tables.sorted_tables:
            rows = [dict(row._mapping) for row in source.execute(sa.select(table))]
            if rows and table.name not in ("log_version", "sqlite_sequence"):
                connection.execute(sa.insert(table), rows)
        if connection.dialect.name == "postgresql":
            # Rows that bring their own numbers leave the sequences behind.
            for name, column in (("sessions", "number"), ("events", "position")):
                connection.execute(
                    sa.text(f"SELECT setval(pg_get_serial_sequence('{name}', '{column}'), max({column})) FROM {name}")
                )
        if version >= "0004":
            # Logs have chained their commits since then; earlier ones are sealed when they are migrated.
            seal_all(connection)
    return log_place


@pytest.mark.parametrize("version", VERSIONS[:-1])
def test_a_log_of_every_earlier_version_is_migrated_on_both_databases(version: str, log_place: str) -> None:
    with open_log(copied(version, log_place)) as log:
        assert list(log.sessions()) == [stored_story()]
        assert [stone.is_completed for stone in log.tombstones("dials")] == [True]
        assert len(log.registrations("dials")) == (0 if version == "0001" else 1)
        assert log.damage() is None
        assert log.append([stored_story()[-1].model_copy(update={"seq": 2})]) == 1
        log.erase("kept")
        assert log.damage() is None


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


def test_migrations_end_at_the_tables_the_software_uses(log_place: str) -> None:
    open_log(log_place).close()
    with sa.create_engine(url_of(log_place), poolclass=sa.NullPool).connect() as connection:
        made = MigrationContext.configure(connection, opts={"version_table": "log_version", "compare_type": True})
        assert compare_metadata(made, metadata) == []


def test_versions_are_those_of_the_migrations() -> None:
    scripts = ScriptDirectory(str(Path(understudy.record.versions.__file__).parent / "migrations"))
    assert tuple(reversed([step.revision for step in scripts.walk_revisions()])) == VERSIONS


def test_a_log_of_a_newer_version_is_refused(old_log: Path) -> None:
    with sqlite3.connect(old_log) as connection:
        connection.execute("UPDATE log_version SET version_num = '0099'")
    connection.close()
    with pytest.raises(
        LogError, match=f"has version 0099, but this software reads versions up to {VERSIONS[-1]}; install"
    ):
        open_log(old_log)


def test_a_database_of_something_else_is_refused(log_place: str) -> None:
    with sa.create_engine(url_of(log_place), poolclass=sa.NullPool).begin() as connection:
        connection.execute(sa.text("CREATE TABLE cakes (name TEXT)"))
    with pytest.raises(LogError, match=r"other tables in it \(cakes\); give the log a separate database"):
        open_log(log_place)
