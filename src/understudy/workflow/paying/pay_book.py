"""Pay book: the log's side of paying a study, who is owed what and which steps were taken."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import median
from typing import NamedTuple

from understudy.conduct.copies import copies_in
from understudy.conduct.pay_ledger import NO_ACCOUNT, Account, OwedPay, Step, accounts_from, owed_in
from understudy.record import Log, Unreadable, session_hash
from understudy.recruiters import recruiter_id_of
from understudy.schema import Event, Study
from understudy.schema.pay_ledger import PayEntry

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
