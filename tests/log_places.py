"""Fixtures: event logs on every database this machine has; a test module asks for them with `pytest_plugins`."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.postgres_server import PostgresServer, binaries, running_server
from understudy.record import Log, open_log


def programs_or_skip() -> Path:
    """Return where PostgreSQL's programs are, or skip the test."""
    pytest.importorskip("psycopg", reason="PostgreSQL tests need the extra 'postgres'")
    programs = binaries()
    if programs is None:
        pytest.skip("PostgreSQL's initdb and postgres are not on this machine")
    return programs


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    with running_server(programs_or_skip()) as server:
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


@pytest.fixture
def password_server() -> Iterator[PostgresServer]:
    """A server that asks everybody but its owner for a password."""
    programs = programs_or_skip()
    # The server runs under another account, which cannot look into pytest's folders.
    with tempfile.NamedTemporaryFile("w", suffix=".conf") as rules:
        rules.write("local all understudy trust\nlocal all all scram-sha-256\n")
        rules.flush()
        Path(rules.name).chmod(0o644)
        with running_server(programs, f"hba_file={rules.name}") as server:
            yield server
