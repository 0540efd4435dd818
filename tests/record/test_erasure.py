"""Erasure leaves no byte of the person in the files of a SQLite log."""

import shutil
from pathlib import Path

import numpy as np
import pytest
import sqlalchemy as sa

from tests.log_events import STUDY, answered, moved, started
from tests.postgres_server import PostgresServer
from understudy.errors import LogError
from understudy.record import Log, open_log

pytest_plugins = ["tests.log_places"]


def bytes_of(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.iterdir()))


def fill(log: Log, rng: np.random.Generator, *, n_sessions: int, n_answers: int) -> None:
    """Write interleaved answers of very different length, so that rows wander between pages."""
    log.append([started(f"s{each}", participant=f"PERSON-{each:03d}") for each in range(n_sessions)])
    last = dict.fromkeys(range(n_sessions), 0)
    for _ in range(n_answers):
        each = int(rng.integers(n_sessions))
        last[each] += 1
        text = f"SECRET-{each:03d} " * int(rng.choice([1, 1, 3, 30, 500]))
        log.append([answered(f"s{each}", last[each], {"why": text})])


@pytest.mark.parametrize("seed", [7, 18, 23])  # seeds with which SQLite's secure_delete alone left copies behind
def test_nothing_of_an_erased_person_is_left_in_the_files(tmp_path: Path, seed: int) -> None:
    with open_log(tmp_path / "log.sqlite") as log:
        fill(log, np.random.default_rng(seed), n_sessions=40, n_answers=600)
        for each in range(0, 40, 4):
            assert f"SECRET-{each:03d}".encode() in bytes_of(tmp_path)
            log.erase(f"s{each}")
            assert f"SECRET-{each:03d}".encode() not in bytes_of(tmp_path)
            assert f"PERSON-{each:03d}".encode() not in bytes_of(tmp_path)


def test_a_tombstone_does_not_name_the_participant(tmp_path: Path) -> None:
    with open_log(tmp_path / "log.sqlite") as log:
        log.append([started("a", participant="kim-the-person")])
        log.erase("a")
        (stone,) = log.tombstones(STUDY)
    assert b"kim-the-person" not in bytes_of(tmp_path)
    assert "kim-the-person" not in repr(stone)


def test_a_reader_who_holds_the_bytes_is_told_and_erasing_again_helps(tmp_path: Path) -> None:
    with open_log(tmp_path / "log.sqlite", wait_ms=20) as log:
        log.append([started("a"), answered("a", 1, {"why": "SECRET"}), started("b")])
        reader = log.sessions()
        next(reader)
        with pytest.raises(LogError, match=r"no longer shows the session, but .* erase it again"):
            log.erase("a")
        assert next(reader)[0].session_id == "b"
        assert list(reader) == []
        log.erase("a")
    assert b"SECRET" not in bytes_of(tmp_path)


def test_what_others_wrote_stays(tmp_path: Path) -> None:
    with open_log(tmp_path / "log.sqlite") as log:
        fill(log, np.random.default_rng(8), n_sessions=10, n_answers=100)
        log.append([started("gone"), moved("gone", 1)])
        before = list(log.sessions())
        log.erase("gone")
        assert list(log.sessions()) == before[:-1]


def test_a_person_who_was_erased_may_come_again(tmp_path: Path) -> None:
    with open_log(tmp_path / "log.sqlite") as log:
        log.append([started("a", participant="kim")])
        log.erase("a")
        assert log.append([started("b", participant="kim")]) == 1


def test_a_backup_made_before_still_opens(tmp_path: Path) -> None:
    with open_log(tmp_path / "log.sqlite") as log:
        log.append([started("a")])
    shutil.copy(tmp_path / "log.sqlite", tmp_path / "backup.sqlite")
    with open_log(tmp_path / "log.sqlite") as log, open_log(tmp_path / "backup.sqlite") as backup:
        log.erase("a")
        assert (log.count_events(), backup.count_events()) == (0, 1)


def statement(url: str, *statements: str) -> None:
    engine = sa.create_engine(url, isolation_level="AUTOCOMMIT", poolclass=sa.NullPool)
    with engine.connect() as connection:
        for each in statements:
            connection.execute(sa.text(each))


def files_with(server: PostgresServer, *words: str) -> list[str]:
    """Return the files of a PostgreSQL server that hold one of some words, but for its write-ahead log."""
    found = []
    for path in sorted((server.folder / "data").rglob("*")):
        if path.is_file() and path.parent.name != "pg_wal":
            content = path.read_bytes()
            found += [path.name for word in words if word.encode() in content]
    return found


ANN = ("SECRET-007", "PERSON-007", "RECRUITED-007", "s7-of-ann")


def filled_postgres(log: Log, url: str) -> None:
    log.append([started("s7-of-ann", participant="PERSON-007")])
    fill(log, np.random.default_rng(3), n_sessions=7, n_answers=60)
    log.enter_people(STUDY, {"PERSON-007": {"id": "RECRUITED-007"}, "PERSON-001": {"id": "RECRUITED-001"}})
    for number in range(1, 30):
        log.append([answered("s7-of-ann", number, {"why": "SECRET-007 because of a long text " * (number % 3 + 1)})])
    statement(url, "ANALYZE", "CHECKPOINT")


def test_nothing_of_an_erased_person_is_left_in_the_files_of_postgres(postgres_server: PostgresServer) -> None:
    url = postgres_server.new_database()
    with open_log(url) as log:
        filled_postgres(log, url)
        assert files_with(postgres_server, *ANN)
        before = [session for session in log.sessions() if session[0].session_id != "s7-of-ann"]
        log.erase("s7-of-ann")
        statement(url, "CHECKPOINT")
        assert files_with(postgres_server, *ANN) == []
        assert files_with(postgres_server, "PERSON-001", "RECRUITED-001")
        assert (list(log.sessions()), log.damage()) == (before, None)
        remains = log.remains()
        assert remains is not None
        assert (remains.not_owned, remains.sampled, remains.is_unfinished) == ((), (), False)


def test_a_database_from_before_loses_its_samples_and_the_bytes_of_earlier_erasures(
    postgres_server: PostgresServer,
) -> None:
    url = postgres_server.new_database()
    with open_log(url) as log:
        log.append([started("x")])
    columns = {"events": ["body"], "sessions": ["session_id", "participant_id"], "people": ["participant_id", "fields"]}
    statement(
        url,
        *(f"ALTER TABLE {table} ALTER {name} SET STATISTICS -1" for table, names in columns.items() for name in names),
    )
    with open_log(url) as log:
        statement(
            url,
            *(
                f"ALTER TABLE {table} ALTER {name} SET STATISTICS -1"
                for table, names in columns.items()
                for name in names
            ),
        )
        filled_postgres(log, url)
    statement(url, "DELETE FROM people WHERE participant_id = 'PERSON-007'", "CHECKPOINT")
    assert files_with(postgres_server, "RECRUITED-007")
    with open_log(url) as log:
        log.finish_erasures()
        log.erase("s7-of-ann")
    statement(url, "CHECKPOINT")
    assert files_with(postgres_server, *ANN) == []


def test_a_reader_of_postgres_who_holds_the_bytes_is_told_and_finishing_later_helps(
    postgres_server: PostgresServer,
) -> None:
    url = postgres_server.new_database()
    engine = sa.create_engine(url, isolation_level="REPEATABLE READ", poolclass=sa.NullPool)
    with open_log(url) as log:
        filled_postgres(log, url)
        with engine.connect() as reader:
            # A snapshot alone keeps the rows, without any lock on their table.
            reader.execute(sa.text("SELECT count(*) FROM tombstones")).scalar_one()
            with pytest.raises(LogError, match=r"no longer shows the session, but .* erase it again"):
                log.erase("s7-of-ann")
            remains = log.remains()
            assert remains is not None
            assert remains.is_unfinished
        log.finish_erasures()
        statement(url, "CHECKPOINT")
        assert files_with(postgres_server, *ANN) == []


def test_a_crash_between_erasing_and_rewriting_leaves_nothing_for_good(tmp_path: Path) -> None:
    with open_log(tmp_path / "log.sqlite", wait_ms=20) as log:
        log.append([started("a"), answered("a", 1, {"why": "SECRET"}), started("b")])
        reader = log.sessions()
        next(reader)
        with pytest.raises(LogError, match="no longer shows"):
            log.erase("a")
        list(reader)
    with open_log(tmp_path / "log.sqlite") as log:
        log.finish_erasures()
    assert b"SECRET" not in bytes_of(tmp_path)
