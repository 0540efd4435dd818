"""The list of people: what recruiters call them, kept for many at once and gone when it must be."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path
from unittest.mock import patch

import pytest

from tests.loops import finished
from understudy.errors import LogError
from understudy.serve.people import People

REFUSE = "CREATE TRIGGER no_more BEFORE INSERT ON people BEGIN SELECT RAISE(ABORT, 'no'); END"


async def remembered(people: People, number: int) -> str:
    try:
        await people.remember_in_turn(f"p-{number}", {"PROLIFIC_PID": f"name {number}"})
    except LogError:
        return "refused"
    return "kept"


async def all_at_once(people: People, n: int) -> set[str]:
    return set(await asyncio.gather(*(remembered(people, number) for number in range(n))))


def change(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute(statement)


def test_people_who_arrive_together_are_all_kept(tmp_path: Path) -> None:
    people = People(tmp_path / "people.sqlite")
    assert finished(all_at_once(people, 200)) == {"kept"}
    kept = [people.fields_of(f"p-{number}") for number in range(200)]
    assert kept == [{"PROLIFIC_PID": f"name {number}"} for number in range(200)]


def test_names_of_many_who_find_no_place_go_together(tmp_path: Path) -> None:
    people = People(tmp_path / "people.sqlite")

    async def come_and_leave() -> None:
        await all_at_once(people, 200)
        await asyncio.gather(*(people.forget_in_turn(f"p-{number}") for number in range(1, 200)))

    with patch.object(People, "_remove", autospec=True, side_effect=People._remove) as removing:
        finished(come_and_leave())
    assert people.all() == {"p-0": {"PROLIFIC_PID": "name 0"}}
    # The file is rewritten for the first, and then once for all who waited meanwhile; those who came rewrite nothing.
    rewriting = [call for call in removing.call_args_list if call.args[1]]
    assert len(rewriting) <= 3
    assert b"name 7" not in (tmp_path / "people.sqlite").read_bytes()


def test_nobody_is_said_to_be_kept_who_is_not(tmp_path: Path) -> None:
    people = People(tmp_path / "people.sqlite")
    change(tmp_path / "people.sqlite", REFUSE)
    assert finished(all_at_once(people, 50)) == {"refused"}


def test_who_was_refused_is_not_kept_later(tmp_path: Path) -> None:
    people = People(tmp_path / "people.sqlite")
    change(tmp_path / "people.sqlite", REFUSE)
    assert finished(remembered(people, 1)) == "refused"
    change(tmp_path / "people.sqlite", "DROP TRIGGER no_more")
    assert finished(remembered(people, 2)) == "kept"
    assert people.fields_of("p-1") == {}


def test_nobody_is_forgotten_when_an_older_log_was_put_back(tmp_path: Path) -> None:
    people = People(tmp_path / "people.sqlite")
    for name in ("ann", "bob", "cleo"):
        people.remember(name, {"PROLIFIC_PID": name})
    people.keep_only({"ann", "bob", "cleo"}, n_sessions=3)
    with pytest.raises(LogError, match=r"holds 2 sessions, but 3 people came: 1 of those .* have no session"):
        People(tmp_path / "people.sqlite").keep_only({"ann", "bob"}, n_sessions=2)
    assert people.fields_of("cleo") == {"PROLIFIC_PID": "cleo"}


def test_nobody_is_forgotten_when_an_empty_log_was_put_back_before_any_count(tmp_path: Path) -> None:
    people = People(tmp_path / "people.sqlite")
    for number in range(9):
        people.remember(f"p{number}", {"PROLIFIC_PID": str(number)})
    with pytest.raises(LogError, match=r"9 of those in .* have no session"):
        people.keep_only(set(), n_sessions=0)


def test_somebody_whose_arrival_a_crash_cut_short_is_set_aside_and_not_deleted(tmp_path: Path) -> None:
    people = People(tmp_path / "people.sqlite")
    people.remember("ann", {"PROLIFIC_PID": "ann"})
    people.remember("gone", {"PROLIFIC_PID": "gone"})
    assert people.keep_only({"ann"}, n_sessions=1) == 1
    assert (people.fields_of("ann"), people.fields_of("gone")) == ({"PROLIFIC_PID": "ann"}, {})
    assert people.n_set_aside() == 1
    # The log that has their session is put back, so that they are known again.
    assert people.keep_only({"ann", "gone"}, n_sessions=2) == 0
    assert (people.fields_of("gone"), people.n_set_aside()) == ({"PROLIFIC_PID": "gone"}, 0)


def test_an_accepted_loss_sets_everybody_aside_who_lost_their_session(tmp_path: Path) -> None:
    people = People(tmp_path / "people.sqlite")
    for number in range(12):
        people.remember(f"p{number}", {"PROLIFIC_PID": str(number)})
    people.keep_only({f"p{number}" for number in range(12)}, n_sessions=12)
    left = {f"p{number}" for number in range(7)}
    assert people.keep_only(left, n_sessions=7, accepts_loss=True) == 5
    assert people.keep_only(left, n_sessions=7) == 0
    assert (len(people.all()), people.n_set_aside()) == (7, 5)
    people.remember("p11", {"PROLIFIC_PID": "11"})
    assert (people.fields_of("p11"), people.n_set_aside()) == ({"PROLIFIC_PID": "11"}, 4)


def test_an_erasure_also_reaches_people_who_were_set_aside(tmp_path: Path) -> None:
    people = People(tmp_path / "people.sqlite")
    people.remember("gone", {"PROLIFIC_PID": "5f00dcafe"})
    people.keep_only(set(), n_sessions=0)
    people.forget("gone")
    assert b"5f00dcafe" not in (tmp_path / "people.sqlite").read_bytes()
