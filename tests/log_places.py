"""Fixtures: event logs on every database this machine has; a test module asks for them with `pytest_plugins`."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.postgres_server import PostgresServer, binaries, running_server
from understudy.record import Log, open_log


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    pytest.importorskip("psycopg", reason="PostgreSQL tests need the extra 'postgres'")
    programs = binaries()
    if programs is None:
        pytest.skip("PostgreSQL's initdb and postgres are not on this machine")
    with running_server(programs) as server:
        yield server


@pytest.fixture(params=["sqlite", "postgres"])
def log_place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where an empty log can be opened: a new file, or a new PostgreSQL schema."""
    if request.param == "sqlite":
        return str(tmp_path / "log.sqlite")
    server: PostgresServer = request.getfixturevalue("postgres_server")
    return server.new_schema()


@pytest.fixture
def log(log_place: str) -> Iterator[Log]:
    with open_log(log_place, clock=lambda: 1_700_000_000_000) as opened:
        yield opened
