"""Recruiters without an API are paid by a list: what is on it is ordered, and counts as paid once it is confirmed."""

import csv
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.paid_people import Hands, Person, book_of
from understudy.actions.pay_lists import (
    confirm_list,
    enter_list,
    list_survey,
    list_text,
    listed_dues,
    new_list,
    open_lists,
)
from understudy.errors import TableError
from understudy.record import Log, open_log

PEOPLE = (Person("ann", "completed", bonus=0.37), Person("=bob", "screened_out"), Person("cy", "declined"))


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Log]:
    with open_log(tmp_path / "events.sqlite") as opened:
        for person in PEOPLE:
            opened.append(person.events())
        yield opened


def written(log: Log, path: Path) -> list[dict[str, str]]:
    book = book_of(log, Hands())
    lines = listed_dues(book)
    made = new_list(lines)
    path.write_text(made.text, encoding="utf-8")
    enter_list(book, lines, made.order_id)
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def test_a_list_has_everybody_who_is_owed_something(log: Log, tmp_path: Path) -> None:
    rows = written(log, tmp_path / "due.csv")
    assert [(row["id"], row["amount"]) for row in rows] == [("ann", "2.37"), ("'=bob", "0.40")]
    assert rows[0]["reason"] == "base pay, completed; bonus for n_right"


def test_nobody_is_on_two_lists(log: Log, tmp_path: Path) -> None:
    written(log, tmp_path / "due.csv")
    assert listed_dues(book_of(log, Hands())) == ()


def test_deleted_lines_become_due_again(log: Log, tmp_path: Path) -> None:
    path = tmp_path / "due.csv"
    written(log, path)
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:2]))
    assert confirm_list(book_of(log, Hands()), path) == (1, 1)
    left = listed_dues(book_of(log, Hands()))
    assert [(line.recruiter_id, line.cents) for line in left] == [("=bob", 40)]
    assert confirm_list(book_of(log, Hands()), path) == (0, 0)


def test_somebody_who_was_deleted_and_comes_back_was_paid_after_all(log: Log, tmp_path: Path) -> None:
    whole, part = tmp_path / "due.csv", tmp_path / "part.csv"
    written(log, whole)
    part.write_text("".join(whole.read_text().splitlines(keepends=True)[:2]))
    confirm_list(book_of(log, Hands()), part)
    assert confirm_list(book_of(log, Hands()), whole) == (1, 0)
    assert listed_dues(book_of(log, Hands())) == ()
    assert confirm_list(book_of(log, Hands()), whole) == (0, 0)


def test_somebody_who_is_on_another_list_since_is_named(log: Log, tmp_path: Path) -> None:
    whole, part = tmp_path / "due.csv", tmp_path / "part.csv"
    written(log, whole)
    part.write_text("".join(whole.read_text().splitlines(keepends=True)[:2]))
    confirm_list(book_of(log, Hands()), part)
    written(log, tmp_path / "second.csv")
    with pytest.raises(TableError, match=r"\"'=bob\" was paid by list-\w+, from which they were deleted before"):
        confirm_list(book_of(log, Hands()), whole)


def test_another_table_is_refused_in_one_sentence(log: Log, tmp_path: Path) -> None:
    (tmp_path / "other.csv").write_text("name,sum\nann,2\n")
    with pytest.raises(TableError, match="has no column 'id'; it needs id and amount and order"):
        confirm_list(book_of(log, Hands()), tmp_path / "other.csv")


@pytest.mark.parametrize(
    ("before", "after", "sentence"),
    [
        ("ann,2.37", "ann,2.00", "Line 2 says '2.00' for 'ann', and 2.37 was ordered."),
        ("ann,2.37", "ann,2.375", "Line 2 says '2.375' for 'ann', and 2.37 was ordered."),
        ("ann,2.37", "zed,2.37", "Line 2 names 'zed', who is not on the list list-"),
        ("list-", "lost-", "is of the order 'lost-"),
        ("'=bob,0.40", "ann,2.37", "Line 3 names 'ann' for the second time."),
    ],
)
def test_a_list_that_was_edited_confirms_nothing(
    log: Log, tmp_path: Path, before: str, after: str, sentence: str
) -> None:
    path = tmp_path / "due.csv"
    written(log, path)
    path.write_text(path.read_text().replace(before, after))
    with pytest.raises(TableError, match="nothing is confirmed") as refused:
        confirm_list(book_of(log, Hands()), path)
    assert sentence in str(refused.value)
    assert not any(entry.step == "confirmed" for entry in book_of(log, Hands()).entries)


def test_a_list_of_another_encoding_gets_a_sentence(log: Log, tmp_path: Path) -> None:
    (tmp_path / "due.csv").write_bytes("id,amount,order\nJürgen,2,list-1\n".encode("latin-1"))
    with pytest.raises(TableError, match="is not UTF-8 text; save it as CSV UTF-8"):
        confirm_list(book_of(log, Hands()), tmp_path / "due.csv")


def test_a_list_as_a_spreadsheet_saves_it_is_taken(log: Log, tmp_path: Path) -> None:
    path = tmp_path / "due.csv"
    written(log, path)
    path.write_text(path.read_text().replace(",", ";").replace("2.37", "2,37").replace("0.40", "0,4"))
    assert confirm_list(book_of(log, Hands()), path) == (2, 0)


def test_a_list_without_lines_says_that_nobody_was_paid(log: Log, tmp_path: Path) -> None:
    path = tmp_path / "due.csv"
    written(log, path)
    path.write_text(path.read_text().splitlines(keepends=True)[0])
    assert confirm_list(book_of(log, Hands()), path) == (0, 2)
    assert [line.recruiter_id for line in listed_dues(book_of(log, Hands()))] == ["ann", "=bob"]


def test_a_list_without_lines_has_to_say_which_of_several_it_is(log: Log, tmp_path: Path) -> None:
    path = tmp_path / "due.csv"
    written(log, path)
    header = path.read_text().splitlines(keepends=True)[0]
    log.append(Person("dee", "completed").events())
    (row,) = written(log, tmp_path / "second.csv")
    path.write_text(header)
    with pytest.raises(TableError, match="but 2 lists are open"):
        confirm_list(book_of(log, Hands()), path)
    path.write_text(f"{header},,,,{row['order']}\n")
    assert confirm_list(book_of(log, Hands()), path) == (0, 1)


def test_somebody_erased_after_the_list_was_written_does_not_stop_it(log: Log, tmp_path: Path) -> None:
    path = tmp_path / "due.csv"
    written(log, path)
    log.erase("session-ann")
    assert confirm_list(book_of(log, Hands()), path) == (1, 0)


def test_an_open_list_can_be_written_again(log: Log, tmp_path: Path) -> None:
    path = tmp_path / "due.csv"
    written(log, path)
    (waiting,) = open_lists(book_of(log, Hands()))
    assert sum(line.cents for line in waiting.lines) == 277
    assert list_text((line, waiting.order_id) for line in waiting.lines) == path.read_text()


def test_what_is_owed_is_known_without_an_order(log: Log) -> None:
    known = list_survey(book_of(log, Hands()))
    assert (known.owed_cents, known.due_cents, known.open_cents) == (277, 277, 0)
