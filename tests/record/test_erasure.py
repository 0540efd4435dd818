"""Erasure leaves no byte of the person in the files of a SQLite log."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from tests.log_events import STUDY, answered, moved, started
from understudy.errors import LogError
from understudy.record import Log, open_log


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
