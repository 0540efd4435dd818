"""Paying through a platform: ask what is true, then order what is due, each payment once."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from understudy.conduct.pay_ledger import Account, DuePay, Dues, OwedPay, Step, dues_of, reconciled
from understudy.errors import NoAnswer, RecruiterError, RejectedOrder
from understudy.recruiters.pay_desk import DECIDING, BonusOrder, PaidSubmission, PayDesk
from understudy.workflow.paying.pay_book import PayBook

_MOST_FAULTS = 3
"""People in a row about whom the platform gives no answer, after which it is taken to be down."""


class PersonPay(NamedTuple):
    """One person: what is owed, what the ledger and the platform say, and what is due."""

    owed: OwedPay
    account: Account
    found: PaidSubmission | None
    """The submission by which the person is paid, with the money of all their submissions."""
    dues: Dues
    submission_ids: tuple[str, ...] = ()
    """Everything that the platform has of this person, beginning with the submission by which they are paid."""


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
    submissions = desk.submissions()
    by_person: defaultdict[str | None, list[PaidSubmission]] = defaultdict(list)
    for submission in submissions:
        by_person[submission.recruiter_id].append(submission)
    people: list[PersonPay] = []
    n_faults = 0
    for owed in book.owed():
        theirs = _in_order(book, owed, by_person[book.recruiter_id(owed.participant_id)])
        try:
            people.append(_looked_up(book, desk, owed, theirs, asks_settled=asks_settled))
            n_faults = 0
        except RecruiterError as error:
            # One person whom the platform cannot find must not keep everybody else from being paid.
            n_faults += 1
            if n_faults == _MOST_FAULTS:
                raise
            note = f"could not be looked up: {str(error).rstrip('.')}"
            people.append(PersonPay(owed, book.account(owed.session_id), None, Dues(note=note), _ids(theirs)))
        on_person(1)
    met = {submission_id for person in people for submission_id in person.submission_ids}
    return Survey(tuple(people), tuple(found for found in submissions if found.submission_id not in met))


def _looked_up(
    book: PayBook, desk: PayDesk, owed: OwedPay, theirs: Sequence[PaidSubmission], *, asks_settled: bool
) -> PersonPay:
    found = theirs[0] if theirs else None
    # Somebody with two submissions may have got money by the second one after all was settled.
    is_settled = _is_settled(owed, book.account(owed.session_id)) and len(theirs) == 1
    if found is not None and (asks_settled or not is_settled):
        # The list leaves out bonuses.
        found = _asked(desk, _ids(theirs))
        steps = reconciled(book.account(owed.session_id), found, book.now_ms())
        book.enter((owed.session_id, step) for step in steps)
    account = book.account(owed.session_id)
    return PersonPay(owed, account, found, dues_of(owed, account, found), _ids(theirs))


def _ids(submissions: Sequence[PaidSubmission]) -> tuple[str, ...]:
    return tuple(submission.submission_id for submission in submissions)


def _asked(desk: PayDesk, submission_ids: Sequence[str]) -> PaidSubmission:
    """Return the first of somebody's submissions as it is now; money that came by the others counts as a bonus."""
    found, *others = (desk.submission(submission_id) for submission_id in submission_ids)
    return found._replace(bonus_cents=found.bonus_cents + sum(other.paid_cents for other in others))


def pay(book: PayBook, desk: PayDesk, known: Survey) -> Paid:
    """Order everything that a survey found due, after asking the platform about each person once more."""
    n_approved = 0
    faults: list[str] = []
    for person, due in _still_due(book, desk, known.due("reward"), faults):
        try:
            _approve(book, desk, person, due)
            n_approved += 1
        except RecruiterError as error:
            faults.append(str(error))
    wanted = list(_still_due(book, desk, known.due("bonus"), faults))
    n_bonuses = 0
    for first in range(0, len(wanted), desk.most_bonuses):
        for order_id, batch in _prepared(desk, wanted[first : first + desk.most_bonuses], faults):
            try:
                _pay_bonuses(book, desk, order_id, batch)
                n_bonuses += len(batch)
            except RecruiterError as error:
                faults.append(str(error))
    return Paid(n_approved, n_bonuses, tuple(faults))


def _in_order(book: PayBook, owed: OwedPay, theirs: Sequence[PaidSubmission]) -> list[PaidSubmission]:
    """Return somebody's submissions, beginning with the one by which they are paid.

    Usually there is one. Somebody who returned it may be let in again, and finish or be approved by the second.
    """
    fields = book.fields_of(owed.participant_id)
    # Prolific calls the submission a session in its links, MTurk an assignment.
    named = (fields.get("SESSION_ID"), fields.get("assignmentId"))
    return sorted(theirs, key=lambda each: (DECIDING.index(each.status), each.submission_id not in named))


def _is_settled(owed: OwedPay, account: Account) -> bool:
    return account.paid_cents == owed.total_cents and not account.open


def _still_due(
    book: PayBook, desk: PayDesk, wanted: Sequence[tuple[PersonPay, DuePay]], faults: list[str]
) -> Iterator[tuple[PersonPay, DuePay]]:
    """Yield what is due after looking again, and add a sentence for everybody who cannot be looked up."""
    n_faults = 0
    for person, due in wanted:
        try:
            is_due = _is_still_due(book, desk, person, due)
            n_faults = 0
        except RecruiterError as error:
            faults.append(str(error))
            n_faults += 1
            if n_faults == _MOST_FAULTS:
                return
            continue
        if is_due:
            yield person, due


def _is_still_due(book: PayBook, desk: PayDesk, person: PersonPay, due: DuePay) -> bool:
    """Look again: somebody may have approved, paid or rejected the person while the question was on the screen."""
    found = _asked(desk, person.submission_ids)
    account = book.account(person.owed.session_id)
    if any(reconciled(account, found, book.now_ms())):
        return False
    return due in dues_of(person.owed, account, found).now


def _approve(book: PayBook, desk: PayDesk, person: PersonPay, due: DuePay) -> None:
    if person.found is None:
        return
    book.enter([(person.owed.session_id, Step("ordered", "reward", due.cents, due.reason))])
    desk.approve(person.found.submission_id)
    found = _asked(desk, person.submission_ids)
    book.enter(
        (person.owed.session_id, step)
        for step in reconciled(book.account(person.owed.session_id), found, book.now_ms())
    )


def _prepared(
    desk: PayDesk, batch: Sequence[tuple[PersonPay, DuePay]], faults: list[str]
) -> Iterator[tuple[str, Sequence[tuple[PersonPay, DuePay]]]]:
    """Yield orders that the platform takes.

    It takes all of an order or nothing. An order with somebody whom it rejects is halved, until only they are left out.
    """
    try:
        yield desk.prepare_bonuses(list(_orders(batch))), batch
    except RejectedOrder as error:
        middle = len(batch) // 2
        if not middle:
            faults.append(str(error))
            return
        yield from _prepared(desk, batch[:middle], faults)
        yield from _prepared(desk, batch[middle:], faults)
    except RecruiterError as error:
        faults.append(str(error))


def _pay_bonuses(book: PayBook, desk: PayDesk, order_id: str, batch: Sequence[tuple[PersonPay, DuePay]]) -> None:
    orders = list(_orders(batch))
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
