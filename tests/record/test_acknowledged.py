"""What was acknowledged is remembered outside the log, so that no loss of its end goes unnoticed."""

import errno
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import sqlalchemy as sa

from tests.log_events import ended, moves, started
from understudy.errors import LogError
from understudy.record import Log, open_log
from understudy.record.copies import copies_as_found
from understudy.record.database import writing
from understudy.schema.log_entries import DeskAction

pytest_plugins = ["tests.log_places"]

N_SESSIONS, N_BATCHES, N_MOVES = 12, 6, 4
NAMES = [f"s{number:02d}" for number in range(N_SESSIONS)]
N_EVENTS = N_SESSIONS * (1 + N_BATCHES * N_MOVES)


def fill(log: Log) -> None:
    """Sessions that start one after the other and then go on in turns, as people do."""
    for name in NAMES[: N_SESSIONS // 2]:
        log.append([started(name)])
    for number in range(N_BATCHES):
        for name in NAMES[: N_SESSIONS // 2]:
            log.append(moves(name, 1 + number * N_MOVES, (number + 1) * N_MOVES))
    for name in NAMES[N_SESSIONS // 2 :]:
        log.append([started(name), *moves(name, 1, N_BATCHES * N_MOVES)])


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of a log whose process was killed: everything is still in the write-ahead log."""
    folder = tmp_path_factory.mktemp("killed")
    with open_log(folder / "log.sqlite") as log:
        fill(log)
        shutil.copytree(folder, folder / "found")
    return folder / "found"


def cut(wal: Path, place: float) -> None:
    content = wal.read_bytes()
    wal.write_bytes(content[: int(len(content) * place)])


def flip(wal: Path, place: float) -> None:
    content = bytearray(wal.read_bytes())
    content[int((len(content) - 1) * place)] ^= 0x10
    wal.write_bytes(content)


def counted(log: Log) -> dict[str, int]:
    return {session[0].session_id: len(session) for session in log.sessions()}


@pytest.mark.parametrize("harm", [cut, flip])
def test_a_log_that_lost_its_end_says_how_many_sessions_are_affected(
    killed: Path, tmp_path: Path, harm: Callable[[Path, float], None]
) -> None:
    n_lossy = 0
    for number in range(20):
        folder = tmp_path / str(number)
        shutil.copytree(killed, folder)
        harm(folder / "log.sqlite-wal", number / 20)
        found = (folder / "log.sqlite-wal").read_bytes()
        with open_log(folder / "log.sqlite") as log:
            damage, left = log.damage(), counted(log)
        lost = {name for name in NAMES if left.get(name, 0) < 1 + N_BATCHES * N_MOVES}
        if not lost:
            assert damage is None
            continue
        n_lossy += 1
        assert damage is not None
        assert (damage.n_lost, damage.n_affected, damage.n_gone) == (
            N_EVENTS - sum(left.values()), len(lost), N_SESSIONS - len(left),
        )  # fmt: skip
        # What SQLite overwrites is kept as it was found.
        kept = copies_as_found(folder / "log.sqlite")
        assert [path.read_bytes() for path in kept if path.name.endswith("-wal")] == [found]
    assert n_lossy >= 18


def test_a_damaged_log_that_cannot_be_copied_stays_as_it_was_found(
    killed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(killed, tmp_path / "run")
    place = tmp_path / "run" / "log.sqlite"
    cut(tmp_path / "run" / "log.sqlite-wal", 0.55)
    found = {path: path.read_bytes() for path in (place, Path(f"{place}-wal"))}
    with monkeypatch.context() as patch:
        patch.setattr(shutil, "copyfile", _full_disk)
        with pytest.raises(
            LogError, match=r"lacks events that were stored, and its files could not be copied .* make room"
        ):
            open_log(place)
    assert {path: path.read_bytes() for path in found} == found
    with open_log(place) as log:
        assert log.damage() is not None
    assert [path.read_bytes() for path in copies_as_found(place)] == list(found.values())


def _full_disk(*_: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_a_log_that_was_killed_and_not_harmed_is_whole(killed: Path, tmp_path: Path) -> None:
    shutil.copytree(killed, tmp_path / "run")
    with open_log(tmp_path / "run" / "log.sqlite") as log:
        assert (log.damage(), log.count_events()) == (None, N_EVENTS)
    assert copies_as_found(tmp_path / "run" / "log.sqlite") == []


def test_an_accepted_loss_is_told_once_and_the_log_goes_on(killed: Path, tmp_path: Path) -> None:
    shutil.copytree(killed, tmp_path / "run")
    cut(tmp_path / "run" / "log.sqlite-wal", 0.6)
    with open_log(tmp_path / "run" / "log.sqlite") as log:
        damage = log.accept_damage()
        assert damage is not None
        assert (log.damage(), log.accepted_losses()) == (None, (damage.told,))
        log.append([started("later"), *moves("later", 1, 3)])
    with open_log(tmp_path / "run" / "log.sqlite") as log:
        assert log.damage() is None


def test_a_lost_erasure_and_a_lost_decision_are_noticed(tmp_path: Path) -> None:
    place = tmp_path / "log.sqlite"
    with open_log(place) as log:
        fill(log)
    shutil.copy(place, tmp_path / "older.sqlite")
    with open_log(place) as log:
        log.erase("s03")
        log.enter_desk_action(DeskAction(study_name="dials", at_ms=1, actor="ann", action="recruitment_paused"))
    shutil.copy(tmp_path / "older.sqlite", place)
    with open_log(place) as log:
        damage = log.damage()
    assert damage is not None
    assert (damage.n_lost, damage.n_undone, damage.n_other, damage.session_ids) == (0, 1, 1, ("s03",))


def test_an_older_log_in_its_place_is_noticed_on_every_database(log_place: str, tmp_path: Path) -> None:
    memory = tmp_path / "acknowledged"
    with open_log(log_place, acknowledged=memory) as log:
        log.append([started("a"), *moves("a", 1, 3)])
        log.append([started("b"), *moves("b", 1, 10)])
        log.append([started("gone"), *moves("gone", 1, 2)])
        log.erase("gone")
        assert log.damage() is None
        with writing(log._database, is_counted=False) as connection:
            last = "(SELECT max(number) FROM sessions)"
            for statement in (
                f"DELETE FROM events WHERE session_number = {last} OR seq = 3",
                f"DELETE FROM sessions WHERE number = {last}",
                "DELETE FROM batches WHERE number > 0",
                "DELETE FROM erased_events",
            ):
                connection.execute(sa.text(statement))
    with open_log(log_place, acknowledged=memory) as log:
        damage = log.damage()
    assert damage is not None
    assert (damage.n_lost, damage.n_affected, damage.n_gone) == (12, 2, 1)


def test_a_log_from_before_is_remembered_from_the_first_service_on(tmp_path: Path) -> None:
    place = tmp_path / "log.sqlite"
    with open_log(place) as log:
        log.append([started("a"), *moves("a", 1, 3), ended("a")])
    shutil.copy(place, tmp_path / "older.sqlite")
    Path(f"{place}-acknowledged").unlink()
    with open_log(place) as log:
        log.remember_acknowledged()
        log.append([started("b")])
    shutil.copy(tmp_path / "older.sqlite", place)
    with open_log(place) as log:
        damage = log.damage()
    assert damage is not None
    assert (damage.n_lost, damage.n_gone) == (1, 1)


def test_a_damaged_memory_is_no_damage_of_the_log(tmp_path: Path) -> None:
    place = tmp_path / "log.sqlite"
    with open_log(place) as log:
        fill(log)
    memory = Path(f"{place}-acknowledged")
    content = memory.read_bytes()
    flipped = [content[:at] + bytes([content[at] ^ 0x40]) + content[at + 1 :] for at in (0, 9, 17, 24, 100, 106)]
    for changed in (b"", b"nothing", content[:40], *flipped):
        memory.write_bytes(changed)
        with open_log(place) as log:
            assert log.damage() is None


def test_a_file_that_cannot_be_read_says_how_many_sessions_are_at_stake(tmp_path: Path) -> None:
    place = tmp_path / "log.sqlite"
    with open_log(place) as log:
        fill(log)
    content = bytearray(place.read_bytes())
    content[4096:] = b"\xa5" * (len(content) - 4096)
    place.write_bytes(content)
    with pytest.raises(LogError, match="It had events of 12 sessions; all of them may be affected"):
        open_log(place)
