"""Pay lists: a CSV file of what is due, for recruiters without an API, and the same file back once it is paid."""

import csv
import io
import secrets
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from understudy.conduct.pay_ledger import OwedPay, Step
from understudy.errors import TableError
from understudy.workflow.pay_book import PayBook

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


def listed_dues(book: PayBook) -> tuple[ListedPay, ...]:
    """Return everything that is due and on no list yet."""
    return tuple(_due_lines(book))


def _due_lines(book: PayBook) -> Iterator[ListedPay]:
    for owed in book.owed():
        account = book.account(owed.session_id)
        cents = owed.total_cents - account.paid_cents - sum(entry.cents for entry in account.open)
        if cents > 0:
            yield ListedPay(owed, book.recruiter_id(owed.participant_id) or owed.participant_id, cents)


def new_list(lines: Sequence[ListedPay]) -> PayList:
    """Return the file that says what to pay, under a new order."""
    order_id = f"list-{secrets.token_hex(4)}"
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for line in lines:
        amount = f"{line.cents // 100}.{line.cents % 100:02d}"
        writer.writerow([_cell(line.recruiter_id), amount, line.owed.currency, line.owed.reason, order_id])
    return PayList(order_id, text.getvalue())


def enter_list(book: PayBook, lines: Sequence[ListedPay], order_id: str) -> None:
    """Enter an order for each line; nobody is on two lists after that."""
    book.enter(
        (line.owed.session_id, Step("ordered", "list", line.cents, line.owed.reason, order_id)) for line in lines
    )


def confirm_list(book: PayBook, path: Path) -> tuple[int, int]:
    """Confirm the lines of a file as paid; lines that were deleted from it become due again. Return how many of each."""
    paid = {(row["order"], row["id"]): row for row in _rows(path)}
    orders = {order_id for order_id, _ in paid}
    steps: list[tuple[str, Step]] = []
    for owed in book.owed():
        name = _cell(book.recruiter_id(owed.participant_id) or owed.participant_id)
        for entry in book.account(owed.session_id).open:
            if entry.way != "list" or entry.order_id not in orders:
                continue
            is_paid = (entry.order_id, name) in paid
            reason = entry.reason if is_paid else "Deleted from the list that was paid."
            steps.append(
                (
                    owed.session_id,
                    Step("confirmed" if is_paid else "failed", "list", entry.cents, reason, entry.order_id),
                )
            )
    book.enter(steps)
    n_paid = sum(step.step == "confirmed" for _, step in steps)
    return n_paid, len(steps) - n_paid


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.DictReader(stream))
    missing = [name for name in ("id", "order") if not rows or rows[0].get(name) is None]
    if missing:
        raise TableError(
            f"{path} has no lines with {' and '.join(missing)}; give the file that understudy pay --csv wrote, without the lines that "
            "were not paid."
        )
    return rows


def _cell(text: str) -> str:
    """Return an id that a spreadsheet does not take for a formula."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@")) else text
