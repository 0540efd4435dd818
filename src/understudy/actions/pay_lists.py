"""Pay lists: a CSV file of what is due, for recruiters without an API, and the same file back once it is paid."""

import secrets
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import NamedTuple

from understudy.actions.coding_files import Row, rows_in_csv
from understudy.actions.pay import PayBook, PersonPay, Survey
from understudy.conduct.pay import DuePay, Dues, OwedPay, Step
from understudy.errors import TableError
from understudy.record import session_hash
from understudy.schema.log_entries import PayStep
from understudy.sources.csv_text import csv_text

# Faults of pay lists that come back: lines that say something else than what was ordered.

_MOST = 5
"""Sentences about lines; further ones are only counted."""


def recruiter_name(book: PayBook, owed: OwedPay) -> str:
    """Return the recruiter's id of somebody, or our pseudonym for people without one."""
    return book.recruiter_id(owed.participant_id) or owed.participant_id


def list_name(text: str) -> str:
    """Return an id that a spreadsheet does not take for a formula."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@")) else text


def row_faults(book: PayBook, rows: Sequence[Row]) -> list[str]:
    """Return a sentence for each line that is not one of the payments that were ordered by a list."""
    faults = list(_faults(book, rows))
    rest = len(faults) - _MOST
    return faults if rest <= 0 else [*faults[:_MOST], f"So are {rest} more lines."]


def _faults(book: PayBook, rows: Sequence[Row]) -> Iterator[str]:
    listed = [entry for entry in book.entries if entry.way == "list" and entry.step == "ordered"]
    orders = {entry.order_id for entry in listed}
    names = {session_hash(owed.session_id): list_name(recruiter_name(book, owed)) for owed in book.owed()}
    cents = {
        (entry.order_id, names[entry.session_hash]): entry.cents for entry in listed if entry.session_hash in names
    }
    # Who took their data back after the list was written may have been paid, and nobody can tell who they were.
    erased = Counter((entry.order_id, entry.cents) for entry in listed if entry.session_hash not in names)
    seen: set[tuple[str, str]] = set()
    for number, row in enumerate(rows, start=2):
        order_id, name, paid = row["order"], row["id"], _cents(row["amount"])
        known = cents.get((order_id, name))
        if order_id not in orders:
            yield f"Line {number} is of the order {order_id!r}, which this run does not have."
        elif not name:
            continue
        elif (order_id, name) in seen:
            yield f"Line {number} names {name!r} for the second time."
        elif known is None and paid is not None and erased[order_id, paid]:
            erased[order_id, paid] -= 1
        elif known is None:
            yield f"Line {number} names {name!r}, who is not on the list {order_id}."
        elif paid != known:
            yield f"Line {number} says {row['amount']!r} for {name!r}, and {known / 100:.2f} was ordered."
        seen.add((order_id, name))


def _cents(text: str) -> int | None:
    """Return an amount in cents; spreadsheets write 2,5 for 2.50."""
    try:
        amount = Decimal(text.strip().replace(",", ".")) * 100
    except InvalidOperation:
        return None
    return int(amount) if amount.is_finite() and amount == int(amount) else None


COLUMNS = ("id", "amount", "currency", "reason", "order")


class ListedPay(NamedTuple):
    """One line of a pay list."""

    owed: OwedPay
    recruiter_id: str
    """The recruiter's id, or our pseudonym for somebody without one."""
    cents: int


class PayList(NamedTuple):
    """A file of payments and what its order is called."""

    order_id: str
    text: str


class OpenList(NamedTuple):
    """A list that was written and not confirmed yet."""

    order_id: str
    written_ms: int
    lines: tuple[ListedPay, ...]


class Confirmed(NamedTuple):
    """What a file of payments says: how many people were paid, and how many of its orders were not."""

    n_paid: int
    n_left: int


def listed_dues(book: PayBook) -> tuple[ListedPay, ...]:
    """Return everything that is due and on no list yet."""
    due = [(owed, _due_cents(book, owed)) for owed in book.owed()]
    return tuple(ListedPay(owed, recruiter_name(book, owed), cents) for owed, cents in due if cents > 0)


def _due_cents(book: PayBook, owed: OwedPay) -> int:
    account = book.account(owed.session_id)
    return owed.total_cents - account.paid_cents - sum(entry.cents for entry in account.open)


def open_lists(book: PayBook) -> tuple[OpenList, ...]:
    """Return the lists whose payments are ordered and not confirmed, in the order in which they were written."""
    found: dict[str, OpenList] = {}
    for owed in book.owed():
        for entry in book.account(owed.session_id).open:
            if entry.way == "list":
                known = found.setdefault(entry.order_id, OpenList(entry.order_id, entry.at_ms, ()))
                line = ListedPay(owed, recruiter_name(book, owed), entry.cents)
                found[entry.order_id] = known._replace(lines=(*known.lines, line))
    return tuple(sorted(found.values(), key=lambda each: each.written_ms))


def list_survey(book: PayBook) -> Survey:
    """Return what everybody is owed by the ledger alone, for recruiters who cannot be asked."""
    due = {line.owed.session_id: DuePay("list", line.cents, line.owed.reason) for line in listed_dues(book)}
    people = (
        PersonPay(owed, book.account(owed.session_id), None, Dues(tuple(filter(None, [due.get(owed.session_id)]))))
        for owed in book.owed()
    )
    return Survey(tuple(people), ())


def new_list(lines: Sequence[ListedPay]) -> PayList:
    """Return the file that says what to pay, under a new order."""
    order_id = f"list-{secrets.token_hex(4)}"
    return PayList(order_id, list_text((line, order_id) for line in lines))


def list_text(lines: Iterable[tuple[ListedPay, str]]) -> str:
    """Return the file that has a line for each payment and its order."""
    rows = (
        (
            list_name(line.recruiter_id), f"{line.cents // 100}.{line.cents % 100:02d}", line.owed.currency,
            line.owed.reason, order_id,
        )
        for line, order_id in lines
    )  # fmt: skip
    return csv_text(COLUMNS, rows)


def enter_list(book: PayBook, lines: Sequence[ListedPay], order_id: str) -> None:
    """Enter an order for each line; nobody is on two lists after that."""
    book.enter(
        (line.owed.session_id, Step("ordered", "list", line.cents, line.owed.reason, order_id)) for line in lines
    )


def confirm_list(book: PayBook, path: Path) -> Confirmed:
    """Confirm the lines of a file as paid, all or none; lines that were deleted from it become due again.

    A file without lines says that nobody was paid. Somebody who was deleted before, and is there again, was paid after all.
    """
    rows = rows_in_csv(path, ("id", "amount", "order"), "understudy pay RUN --csv")
    faults = row_faults(book, rows)
    if faults:
        raise TableError(f"{path} was not taken, and nothing is confirmed. {' '.join(faults)}")
    # A line without an id only says which list the file is about.
    orders = {row["order"] for row in rows} or _only_open(book, path)
    paid = {(row["order"], row["id"]) for row in rows if row["id"]}
    steps: list[tuple[str, Step]] = []
    for owed in book.owed():
        name = list_name(recruiter_name(book, owed))
        for entry in book.account(owed.session_id).open:
            if entry.way != "list" or entry.order_id not in orders:
                continue
            is_paid = (entry.order_id, name) in paid
            reason = entry.reason if is_paid else "Deleted from the list that was paid."
            done: PayStep = "confirmed" if is_paid else "failed"
            steps.append((owed.session_id, Step(done, "list", entry.cents, reason, entry.order_id)))
    steps += _paid_after_all(book, paid, path)
    book.enter(steps)
    n_paid = sum(step.step == "confirmed" for _, step in steps)
    return Confirmed(n_paid, len(steps) - n_paid)


def _paid_after_all(book: PayBook, paid: set[tuple[str, str]], path: Path) -> list[tuple[str, Step]]:
    """Return a confirmation for everybody whom an earlier file of the same order left out, and who is in this one."""
    last = {(entry.session_hash, entry.order_id): entry for entry in book.entries if entry.way == "list"}
    names = {session_hash(owed.session_id): (list_name(recruiter_name(book, owed)), owed) for owed in book.owed()}
    steps: list[tuple[str, Step]] = []
    for (mark, order_id), entry in last.items():
        name, owed = names.get(mark, ("", None))
        if owed is None or entry.step != "failed" or (order_id, name) not in paid:
            continue
        if _due_cents(book, owed) < entry.cents:
            raise TableError(
                f"{path} was not taken, and nothing is confirmed. It says that {name!r} was paid by {order_id}, from which they were "
                "deleted before, and they are on another list since. Confirm or delete them there first; if both lists were paid, "
                f"they got {entry.cents / 100:.2f} too much."
            )
        steps.append((owed.session_id, Step("confirmed", "list", entry.cents, owed.reason, order_id)))
    return steps


def _only_open(book: PayBook, path: Path) -> set[str]:
    """Return the order that a file without lines is about."""
    found = [each.order_id for each in open_lists(book)]
    if len(found) > 1:
        raise TableError(
            f"{path} has no lines, which says that nobody was paid, but {len(found)} lists are open: {', '.join(found)}. Write "
            "one of these into the column order of a line without an id."
        )
    return set(found)
