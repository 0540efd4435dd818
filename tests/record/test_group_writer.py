"""Where a whole commit fails, those who are not to blame still succeed."""

import asyncio
import sqlite3
from contextlib import suppress
from pathlib import Path

import sqlalchemy as sa

from tests.log_events import answered, moved, started
from tests.loops import finished
from understudy.errors import LogError
from understudy.record import Batch, GroupWriter, Log, SecondSession, encode_events, open_log
from understudy.schema import Event

pytest_plugins = ["tests.log_places"]

_POISON = """CREATE TRIGGER poison BEFORE INSERT ON events WHEN new.body LIKE '%poison%'
             BEGIN SELECT RAISE(ABORT, 'poisoned'); END"""


def test_a_batch_that_the_database_refuses_spoils_no_other(tmp_path: Path) -> None:
    with open_log(tmp_path / "log.sqlite") as log, GroupWriter(log) as writer:
        writer.append([started("a")])
        blocker = sqlite3.connect(tmp_path / "log.sqlite", isolation_level=None)
        blocker.execute(_POISON)
        blocker.execute("BEGIN IMMEDIATE")  # the first batch waits, so the others come together behind it
        batches: list[list[Event]] = [
            [moved("a", 1)],
            [moved("a", 2)],
            [answered("a", 3, {"x": "poison"})],
            [moved("a", 3)],
            [moved("a", 4)],
        ]
        futures = [writer.submit(batch) for batch in batches]
        blocker.close()
        outcomes = [future.exception() or future.result() for future in futures]
    assert outcomes[:2] + outcomes[3:] == [1, 1, 1, 1]
    assert "poisoned" in str(outcomes[2])


def test_batches_that_arrive_together_share_a_commit(tmp_path: Path) -> None:
    commits: list[object] = []
    with open_log(tmp_path / "log.sqlite") as log, GroupWriter(log) as writer:
        writer.append([started("a")])
        sa.event.listen(log._database.engine, "commit", commits.append)
        blocker = sqlite3.connect(tmp_path / "log.sqlite", isolation_level=None)
        blocker.execute("BEGIN IMMEDIATE")
        futures = [writer.submit([moved("a", seq)]) for seq in range(1, 101)]
        blocker.close()
        assert sum(future.result() for future in futures) == 100
    assert len(commits) <= 2


def test_what_coroutines_store_together_shares_one_commit(tmp_path: Path) -> None:
    commits: list[object] = []

    async def everybody() -> list[int]:
        return await asyncio.gather(*(writer.store(_batch(started(f"s{number}"))) for number in range(20)))

    with open_log(tmp_path / "log.sqlite") as log, GroupWriter(log) as writer:
        sa.event.listen(log._database.engine, "commit", commits.append)
        assert finished(everybody()) == [1] * 20
    assert len(commits) == 1


def test_a_coroutine_is_told_why_its_own_batch_is_refused(tmp_path: Path) -> None:
    async def both() -> tuple[int | BaseException, int | BaseException]:
        stored, gap = writer.store(_batch(started("a"))), writer.store(_batch(moved("a", 5)))
        return await asyncio.gather(stored, gap, return_exceptions=True)

    with open_log(tmp_path / "log.sqlite") as log, GroupWriter(log) as writer:
        stored, gap = finished(both())
    assert stored == 1
    assert isinstance(gap, LogError)
    assert "expects number 1" in str(gap)


def test_a_request_that_is_given_up_keeps_nobody_from_storing(tmp_path: Path) -> None:
    async def one_gives_up() -> int:
        given_up = writer.store(_batch(started("a")))
        given_up.cancel()
        with suppress(asyncio.CancelledError):
            await given_up
        return await writer.store(_batch(started("b")))

    with open_log(tmp_path / "log.sqlite") as log, GroupWriter(log) as writer:
        assert finished(one_gives_up()) == 1
        assert _names_in(log) == ["b"]


def test_a_closing_writer_stores_what_a_coroutine_gave_it_last(tmp_path: Path) -> None:
    async def store_and_close() -> int:
        future = writer.store(_batch(started("a")))
        writer.close()
        return await future

    with open_log(tmp_path / "log.sqlite") as log:
        writer = GroupWriter(log)
        assert finished(store_and_close()) == 1
        assert _names_in(log) == ["a"]


def test_batches_that_share_a_commit_start_one_session_for_each_person(log: Log) -> None:
    log.append([started("a", participant="ada")])
    outcomes = log.append_each(
        [
            _batch(started("b", participant="bob"), moved("b", 1)),
            _batch(moved("b", 2)),
            _batch(started("again", participant="ada")),
            _batch(started("twice", participant="bob")),
            _batch(moved("nobody", 1)),
        ]
    )
    assert outcomes[:2] == [2, 1]
    assert [error.session_id for error in outcomes if isinstance(error, SecondSession)] == ["a", "b"]
    assert "has not started" in str(outcomes[4])
    assert _names_in(log) == ["a", "b"]


def test_sessions_that_start_in_one_commit_keep_their_order(log: Log) -> None:
    names = [f"s{number}" for number in range(30)]
    log.append_each([_batch(started(name)) for name in names])
    assert _names_in(log) == names
    assert log.damage() is None


def _batch(*events: Event) -> Batch:
    return Batch(encode_events(events))


def _names_in(log: Log) -> list[str]:
    return [session[0].session_id for session in log.sessions()]
