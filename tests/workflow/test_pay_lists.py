"""Recruiters without an API are paid by a list: what is on it is ordered, and counts as paid once it is confirmed."""

import csv
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.paid_people import Hands, Person, book_of
from understudy.errors import TableError
from understudy.record import Log, open_log
from understudy.workflow.pay_list import confirm_list, enter_list, listed_dues, new_list

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


def test_another_table_is_refused_in_one_sentence(log: Log, tmp_path: Path) -> None:
    (tmp_path / "other.csv").write_text("name,sum\nann,2\n")
    with pytest.raises(TableError, match="has no lines with id and order"):
        confirm_list(book_of(log, Hands()), tmp_path / "other.csv")
