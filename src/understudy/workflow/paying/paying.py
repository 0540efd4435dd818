"""Paying through a platform: ask what is true, then order what is due, each payment once."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from understudy.conduct.pay_ledger import Account, DuePay, Dues, OwedPay, Step, dues_of, reconciled
from understudy.errors import NoAnswer, RecruiterError
from understudy.recruiters.pay_desk import BonusOrder, PaidSubmission, PayDesk
from understudy.workflow.paying.pay_book import PayBook

BATCH = 200
"""Bonuses in one order, as many as Prolific recommends."""


class PersonPay(NamedTuple):
    """One person: what is owed, what the ledger and the platform say, and what is due."""

    owed: OwedPay
    account: Account
    found: PaidSubmission | None
    dues: Dues


class Survey(NamedTuple):
    """How everybody's pay stands after the platform was asked."""

    people: tuple[PersonPay, ...]
    strangers: tuple[PaidSubmission, ...]
    """Submissions without a session here: people who never came, were turned away, or erased their data."""

    def due(self, *ways: str) -> tuple[tuple[PersonPay, DuePay], ...]:
        """Return everything that can be ordered now."""
        return tuple((person, due) for person in self.people for due in person.dues.now if due.way in ways)

    @property
    def owed_cents(self) -> int:
        """All that was earned."""
        return sum(person.owed.total_cents for person in self.people)

    @property
    def paid_cents(self) -> int:
        """All that is confirmed."""
        return sum(person.account.paid_cents for person in self.people)

    @property
    def open_cents(self) -> int:
        """All that is ordered and not yet confirmed."""
        return sum(entry.cents for person in self.people for entry in person.account.open)

    @property
    def due_cents(self) -> int:
        """All that can be ordered now."""
        return sum(due.cents for _, due in self.due("reward", "bonus", "list"))


class Paid(NamedTuple):
    """What one round of paying ordered."""

    n_approved: int
    n_bonuses: int
    faults: tuple[str, ...]
    """One sentence for each thing that the platform refused or did not answer."""


def survey(
    book: PayBook, desk: PayDesk, *, asks_settled: bool = False, on_person: Callable[[int], None] = lambda _: None
) -> Survey:
    """Ask the platform about people, enter what it confirms, and return what is due.

    People who have all that they are owed are only asked about with `asks_settled`: it takes a request for each.
    `on_person` is called with 1 after each person.
    """
    submissions = {submission.submission_id: submission for submission in desk.submissions()}
    by_person = {submission.recruiter_id: submission for submission in submissions.values()}
    people, met = [], set()
    for owed in book.owed():
        listed = _submission_of(book, owed, submissions, by_person)
        is_settled = _is_settled(owed, book.account(owed.session_id))
        found = listed
        if listed is not None:
            met.add(listed.submission_id)
        if listed is not None and (asks_settled or not is_settled):
            # The list leaves out bonuses.
            found = desk.submission(listed.submission_id)
            book.enter(
                (owed.session_id, step) for step in reconciled(book.account(owed.session_id), found, book.now_ms())
            )
        account = book.account(owed.session_id)
        people.append(PersonPay(owed, account, found, dues_of(owed, account, found)))
        on_person(1)
    strangers = tuple(found for name, found in submissions.items() if name not in met)
    return Survey(tuple(people), strangers)


def pay(book: PayBook, desk: PayDesk, known: Survey) -> Paid:
    """Order everything that a survey found due, after asking the platform about each person once more."""
    n_approved, faults = 0, []
    for person, due in known.due("reward"):
        if _is_still_due(book, desk, person, due):
            try:
                _approve(book, desk, person, due)
                n_approved += 1
            except RecruiterError as error:
                faults.append(str(error))
    wanted = [(person, due) for person, due in known.due("bonus") if _is_still_due(book, desk, person, due)]
    n_bonuses = 0
    for first in range(0, len(wanted), BATCH):
        batch = wanted[first : first + BATCH]
        try:
            _pay_bonuses(book, desk, batch)
            n_bonuses += len(batch)
        except RecruiterError as error:
            faults.append(str(error))
    return Paid(n_approved, n_bonuses, tuple(faults))


def _submission_of(
    book: PayBook, owed: OwedPay, submissions: Mapping[str, PaidSubmission], by_person: Mapping[str, PaidSubmission]
) -> PaidSubmission | None:
    fields = book.fields_of(owed.participant_id)
    # Prolific calls the submission a session in its links, MTurk an assignment.
    named = submissions.get(fields.get("SESSION_ID", "")) or submissions.get(fields.get("assignmentId", ""))
    recruiter_id = book.recruiter_id(owed.participant_id)
    # An id in a link can be invented, so that the submission has to be the same person's.
    if named is not None and named.recruiter_id == recruiter_id:
        return named
    return by_person.get(recruiter_id or "")


def _is_settled(owed: OwedPay, account: Account) -> bool:
    return account.paid_cents == owed.total_cents and not account.open


def _is_still_due(book: PayBook, desk: PayDesk, person: PersonPay, due: DuePay) -> bool:
    """Look again: somebody may have approved, paid or rejected the person while the question was on the screen."""
    if person.found is None:
        return False
    found = desk.submission(person.found.submission_id)
    account = book.account(person.owed.session_id)
    if any(reconciled(account, found, book.now_ms())):
        return False
    return due in dues_of(person.owed, account, found).now


def _approve(book: PayBook, desk: PayDesk, person: PersonPay, due: DuePay) -> None:
    if person.found is None:
        return
    book.enter([(person.owed.session_id, Step("ordered", "reward", due.cents, due.reason))])
    desk.approve(person.found.submission_id)
    found = desk.submission(person.found.submission_id)
    book.enter(
        (person.owed.session_id, step)
        for step in reconciled(book.account(person.owed.session_id), found, book.now_ms())
    )


def _pay_bonuses(book: PayBook, desk: PayDesk, batch: Sequence[tuple[PersonPay, DuePay]]) -> None:
    orders = list(_orders(batch))
    order_id = desk.prepare_bonuses(orders)
    # Entered before the platform is asked: after a crash in between, the order is open, and nobody pays it again
    # before the platform was asked what it paid.
    book.enter(
        (person.owed.session_id, Step("ordered", "bonus", due.cents, due.reason, order_id)) for person, due in batch
    )
    try:
        desk.pay_bonuses(order_id, orders)
    except NoAnswer as error:
        raise NoAnswer(
            f"{error} Nothing is ordered again: run the command later, and it asks which bonuses were paid."
        ) from None
    except RecruiterError as error:
        book.enter(
            (person.owed.session_id, Step("failed", "bonus", due.cents, str(error), order_id)) for person, due in batch
        )
        raise
    # The platform may hold the money back for hours; from now on nobody orders it a second time.
    book.enter(
        (person.owed.session_id, Step("accepted", "bonus", due.cents, due.reason, order_id)) for person, due in batch
    )


def _orders(batch: Sequence[tuple[PersonPay, DuePay]]) -> Iterator[BonusOrder]:
    for person, due in batch:
        if person.found is not None:
            yield BonusOrder(person.found.submission_id, due.cents, due.reason)
