"""Paying: who is owed what, which steps were taken, and decisions about submissions, next to what the platform says."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from statistics import median
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

from understudy.actions.recruit import PlatformFile, ProlificStudy, platform_file, prolific_api, remember, reward_cents
from understudy.actions.run_folder import Run
from understudy.conduct.copies import copies_in
from understudy.conduct.pay import (
    NO_ACCOUNT,
    Account,
    DuePay,
    Dues,
    OwedPay,
    Step,
    accounts_from,
    dues_of,
    owed_in,
    reconciled,
)
from understudy.errors import NoAnswer, RecruiterError, RejectedOrder, UnderstudyError
from understudy.record import Log, Unreadable, session_hash
from understudy.record.log import now_ms
from understudy.recruiters import MechanicalTurk, Prolific, recruiter_id_of
from understudy.recruiters.mturk import MTurkDesk, create_hit, mturk_client
from understudy.recruiters.platform import DECIDING, BonusOrder, PaidSubmission, PayDesk
from understudy.recruiters.prolific import status_of
from understudy.recruiters.prolific_api import Submission
from understudy.registry import create
from understudy.schema import Event, Study
from understudy.schema.log_entries import PayEntry
from understudy.serve.people import People

ALL_CONDITIONS = "all conditions"
FEWEST = 3
"""Below this, the median of a condition says nothing about its pay per hour."""


def _owed(events: Sequence[Event]) -> OwedPay | str | None:
    """Return what a session earned, or the session's id where that is not an amount of money."""
    try:
        return owed_in(events)
    except (ArithmeticError, ValueError):
        return events[0].session_id


class PayBook:
    """Reads what is owed from the events of people, and enters the steps of payments."""

    def __init__(
        self,
        log: Log,
        study: Study,
        *,
        fields_of: Callable[[str], Mapping[str, str]],
        now_ms: Callable[[], int],
        actor: str,
    ) -> None:
        self.study = study
        self.now_ms = now_ms
        self._log, self._fields_of, self._actor = log, fields_of, actor
        self._entries: defaultdict[str, list[PayEntry]] = defaultdict(list)
        for entry in log.payments(study.name):
            self._entries[entry.session_hash].append(entry)

    def owed(self) -> tuple[OwedPay, ...]:
        """Return what every person earned, in order of start."""
        found = (_owed(events) for events in self._log.sessions(self.study.name, synthetic=False))
        return tuple(owed for owed in found if isinstance(owed, OwedPay))

    def unreadable(self) -> tuple[Unreadable, ...]:
        """Return the sessions whose pay nobody can read."""
        found = (_owed(events) for events in self._log.sessions(self.study.name, synthetic=False))
        return (
            *self._log.unreadable(self.study.name),
            *(Unreadable(owed, "its pay is not an amount.") for owed in found if isinstance(owed, str)),
        )

    def copies(self) -> tuple[str, ...]:
        """Return a sentence for each session that may be a copy of another one."""
        return tuple(copies_in(self._log.sessions(self.study.name, synthetic=False)))

    @property
    def entries(self) -> tuple[PayEntry, ...]:
        """Every step that was taken."""
        return tuple(entry for entries in self._entries.values() for entry in entries)

    def account(self, session_id: str) -> Account:
        """Return what the ledger says about a session."""
        mark = session_hash(session_id)
        return accounts_from(self._entries[mark]).get(mark, NO_ACCOUNT)

    def fields_of(self, participant_id: str) -> Mapping[str, str]:
        """Return the parameters of the link that a participant came by."""
        return self._fields_of(participant_id)

    def recruiter_id(self, participant_id: str) -> str | None:
        """Return what the recruiter calls a participant."""
        return recruiter_id_of(self._fields_of(participant_id))

    def enter(self, steps: Iterable[tuple[str, Step]]) -> None:
        """Make steps of sessions durable, all or none."""
        made: list[PayEntry] = []
        n_new: defaultdict[str, int] = defaultdict(int)
        currency = self.study.pay.currency if self.study.pay is not None else ""
        for session_id, step in steps:
            mark = session_hash(session_id)
            n_new[mark] += 1
            made.append(
                PayEntry(
                    study_name=self.study.name, session_hash=mark, seq=len(self._entries[mark]) + n_new[mark],
                    at_ms=self.now_ms(), currency=currency, actor=self._actor, **step._asdict(),
                )
            )  # fmt: skip
        self._log.enter_payments(made)
        for entry in made:
            self._entries[entry.session_hash].append(entry)


class HourlyPay(NamedTuple):
    """What people of one condition earned in an hour."""

    condition: str
    n: int
    median_minutes: float
    per_hour: float
    """Median pay over median time."""


def hourly_pay(owed: Sequence[OwedPay], *, is_blind: bool = False) -> tuple[HourlyPay, ...]:
    """Return the pay per hour of each condition in which enough people have finished.

    Bonuses and times tell conditions apart, so `is_blind` puts everybody together: a study with looks to come.
    """
    groups: defaultdict[str, list[OwedPay]] = defaultdict(list)
    for person in owed:
        if person.minutes and person.total_cents:
            groups[ALL_CONDITIONS if is_blind else person.condition].append(person)
    rows = []
    for condition, people in sorted(groups.items()):
        if len(people) < FEWEST:
            continue
        minutes = median(person.minutes or 0.0 for person in people)
        pay = median(person.total_cents for person in people) / 100
        rows.append(HourlyPay(condition, len(people), minutes, pay / minutes * 60))
    return tuple(rows)


def hourly_sentences(study: Study, owed: Sequence[OwedPay], *, is_blind: bool = False) -> list[str]:
    """Return a warning for each condition that pays less in an hour than the study says it should."""
    minimum = study.recruitment.hourly_minimum if study.recruitment is not None else None
    if minimum is None or study.pay is None:
        return []
    return [
        f"{row.condition} pays {study.pay.currency} {row.per_hour:.2f} an hour ({row.n} people, median {row.median_minutes:.1f} "
        f"minutes), less than the {minimum:.2f} that the study states. Raise the pay, or pay the difference as a bonus."
        for row in hourly_pay(owed, is_blind=is_blind)
        if row.per_hour < minimum
    ]


# Pay desks: the platform that a run's people are paid through, by the recruiter that its study names.

Connects = Callable[[MechanicalTurk], Any]
"""Makes a client of Mechanical Turk."""


def is_paid_by_list(study: Study) -> bool:
    """Tell whether people are paid elsewhere, from a list, because their recruiter cannot be asked to."""
    recruiter = create("recruiters", study.recruitment.recruiter) if study.recruitment is not None else None
    return not isinstance(recruiter, Prolific | MechanicalTurk)


def pay_desk_of(run: Run, environment: Mapping[str, str], connects: Connects = mturk_client) -> PayDesk:
    """Return the desk that pays the people of a run, or say how they are paid without one."""
    study = run.script.study
    recruiter = create("recruiters", study.recruitment.recruiter) if study.recruitment is not None else None
    if isinstance(recruiter, Prolific):
        return ProlificStudy(run, prolific_api(environment)).desk()
    if isinstance(recruiter, MechanicalTurk):
        known = platform_file(run.folder)
        if known is None:
            raise UnderstudyError(
                f"{study.name} has no HIT at Mechanical Turk yet; run: understudy recruit hit {run.folder} --address https://..."
            )
        return MTurkDesk(connects(recruiter), known.study_id, reward_cents(study))
    raise UnderstudyError(
        f"{study.name} names no recruiter that understudy can pay through. Write a list with --csv FILE, pay it there, and "
        "confirm it with --paid FILE."
    )


def mechanical_turk_of(study: Study) -> MechanicalTurk:
    """Return how a study is recruited at Mechanical Turk, or raise an error if it is recruited elsewhere."""
    recruiter = create("recruiters", study.recruitment.recruiter) if study.recruitment is not None else None
    if not isinstance(recruiter, MechanicalTurk):
        raise UnderstudyError(
            f'{study.name} is not recruited at Mechanical Turk; write recruiter = "mturk" under recruitment.'
        )
    return recruiter


def created_hit(run: Run, address: str, connects: Connects = mturk_client) -> str:
    """Create the HIT of a study at Mechanical Turk, or return the one that the run remembers."""
    study, recruiter = run.script.study, mechanical_turk_of(run.script.study)
    known = platform_file(run.folder)
    if known is not None:
        return known.study_id
    # The study's version is the token of the request, so that a second one after a crash creates no second HIT.
    hit_id = create_hit(connects(recruiter), study, address)
    remember(run.folder, PlatformFile(study_id=hit_id))
    return hit_id


# Paying through a platform: ask what is true, then order what is due, each payment once.

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


# The payments of a run: its pay book, opened with the people of its folder or database.


class OpenBook(NamedTuple):
    """A pay book and the log that it is kept in."""

    book: PayBook
    log: Log


@contextmanager
def open_book(run: Run, actor: str, clock: Callable[[], int] = now_ms) -> Iterator[OpenBook]:
    """Open the pay book of a run in the name of somebody."""
    with run.open_log() as log:
        fields = _fields_of(run, log)
        yield OpenBook(PayBook(log, run.script.study, fields_of=fields, now_ms=clock, actor=actor), log)


def _fields_of(run: Run, log: Log) -> Callable[[str], Mapping[str, str]]:
    if log.is_shared:
        return lambda participant_id: log.recruiter_fields(run.script.study.name, participant_id)
    path = run.folder / "people.sqlite"
    # Opening the list would create it, and a run without one has nobody in it.
    return People(path).fields_of if path.exists() else lambda _: {}


# Decisions about single submissions, which only a human makes, and only with a reason.

Verdict: TypeAlias = Literal["approve", "return", "reject"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
CATEGORIES = (
    "TOO_QUICKLY", "TOO_SLOWLY", "FAILED_INSTRUCTIONS", "INCOMP_LONGITUDINAL", "FAILED_CHECK", "LOW_EFFORT",
    "MALINGERING", "NO_CODE", "BAD_CODE", "NO_DATA", "UNSUPP_DEVICE", "OTHER",
)  # fmt: skip
"""Why Prolific lets submissions be rejected."""
_SHORTEST = 100
"""Characters that Prolific wants in the message to somebody who is rejected."""


class Decision(NamedTuple):
    """What a researcher decides about one person's submission."""

    recruiter_id: str
    verdict: Verdict
    reason: str
    category: str = "OTHER"


def decide(book: PayBook, there: ProlificStudy, decision: Decision, session_id: str | None) -> None:
    """Carry out a decision after reading the submission's status; `session_id` is None for people without a session."""
    require_reason(decision)
    submission = submission_of(there, decision.recruiter_id)
    status = status_of(submission)
    if status != "waiting":
        raise UnderstudyError(
            f"The submission of {decision.recruiter_id} is {submission.status}, and only one that is AWAITING REVIEW can be approved, "
            "asked back or rejected. Nothing was changed."
        )
    # Somebody without a session is known in the ledger by a hash of the submission.
    owner = session_id or f"submission {submission.submission_id}"
    api, reason = there.api, decision.reason
    if decision.verdict == "approve":
        cents = there.reward_cents
        book.enter([(owner, Step("ordered", "reward", cents, reason))])
        api.approve(submission.submission_id)
        book.enter([(owner, Step("confirmed", "reward", cents, reason))])
    elif decision.verdict == "return":
        book.enter([(owner, Step("return_asked", "reward", 0, reason))])
        api.request_return(submission.submission_id, reason)
    else:
        book.enter([(owner, Step("rejected", "reward", 0, f"{decision.category}: {reason}"))])
        api.reject(submission.submission_id, reason, decision.category)


def submission_of(there: ProlificStudy, recruiter_id: str) -> Submission:
    """Return the submission of a person, as it is now."""
    theirs = [row for row in there.api.submissions(there.study_id) if row.participant_id == recruiter_id]
    if not theirs:
        raise UnderstudyError(
            f"Prolific knows no submission of {recruiter_id!r} in this study. Give the PROLIFIC_PID of the person's link."
        )
    waiting = next((row for row in theirs if status_of(row) == "waiting"), theirs[-1])
    return there.api.submission(waiting.submission_id)[0]


def require_reason(decision: Decision) -> None:
    """Refuse a decision without the reason that the ledger and the person need."""
    if decision.verdict not in VERDICTS:
        raise UnderstudyError(f"{decision.verdict!r} is not a decision. Choose from: {', '.join(VERDICTS)}.")
    if not decision.reason.strip():
        raise UnderstudyError("Give a reason with --reason; it is kept in the ledger, and the person may read it.")
    if decision.verdict == "reject" and len(decision.reason) < _SHORTEST:
        raise UnderstudyError(
            f"The person reads why they are rejected, in at least {_SHORTEST} characters; the reason has {len(decision.reason)}. "
            "People who tried are paid: excluding them from the data is not a reason to reject them."
        )
    if decision.category not in CATEGORIES:
        raise UnderstudyError(f"{decision.category!r} is not a category. Choose from: {', '.join(CATEGORIES)}.")
