"""Where a whole commit fails, those who are not to blame still succeed."""

import sqlite3
from pathlib import Path

import sqlalchemy as sa

from tests.log_events import answered, moved, started
from understudy.record import GroupWriter, open_log
from understudy.schema import Event

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
