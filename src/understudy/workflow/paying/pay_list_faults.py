"""Faults of pay lists that come back: lines that say something else than what was ordered."""

from collections import Counter
from collections.abc import Iterator, Sequence
from decimal import Decimal, InvalidOperation

from understudy.conduct.pay_ledger import OwedPay
from understudy.record import session_hash
from understudy.workflow.csv_files import Row
from understudy.workflow.paying.pay_book import PayBook

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
