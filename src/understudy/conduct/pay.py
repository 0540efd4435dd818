"""Pay of a session, and the ledger of what is owed and paid."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from understudy.recruiters.platform import PaidSubmission
from understudy.schema import Event, Gate, Pay, PaySettled, SessionEnded, SessionStarted, Stop
from understudy.schema.events import EarnedBonus, page_span_ms
from understudy.schema.log_entries import PayEntry, PayStep, PayWay
from understudy.schema.study import minor_digits


class ToldPay(NamedTuple):
    """As much of somebody's pay as the end tells."""

    base: float
    bonus: float


def told_pay(pay: PaySettled, results: str) -> ToldPay:
    """Return as much of the pay as the study lets people know; the bonus would tell how many answers were right."""
    if results == "total":
        return ToldPay(round(pay.base + pay.bonus, 2), 0.0)
    return ToldPay(pay.base, pay.bonus if results == "shown" else 0.0)


def base_after(pay: Pay | None, rule: Gate | Stop) -> float:
    """Return what a person earns who is turned away: the amount of the rule, or its share of the base pay."""
    if rule.pay_amount is not None:
        return rule.pay_amount
    return pay.base * rule.pay_share if pay is not None else 0.0


def pay_event(pay: Pay, ended: SessionEnded, base: float, scores: Mapping[str, object]) -> PaySettled:
    """Return the event that settles base pay and bonus; a missing score earns no bonus."""
    earned: list[EarnedBonus] = []
    bonus = 0.0
    for rule in pay.bonuses:
        score = scores.get(rule.measure)
        # Text scores and missing scores earn nothing.
        if not isinstance(score, float):
            continue
        amount = rule.per_unit * score if rule.at_most is None else min(rule.per_unit * score, rule.at_most)
        bonus += amount
        earned.append(EarnedBonus(measure=rule.measure, score=score, amount=round(amount, 4)))
    digits = minor_digits(pay.currency)
    return PaySettled(
        session_id=ended.session_id,
        seq=ended.seq + 1,
        at_ms=ended.at_ms,
        currency=pay.currency,
        base=round(base, digits),
        # A score below zero takes nothing away from the base pay that people were promised.
        bonus=round(max(bonus, 0.0), digits),
        earned=tuple(earned),
    )


# Pay ledger: what people are owed by the log, what was ordered and confirmed, and what is due now.

PATIENCE_MS = 24 * 60 * 60 * 1000
"""How long an order without an answer may be on its way. Platforms say minutes, but may hold money back for hours;
ordering it again too early would pay it twice. An order that was accepted is never ordered again."""


class PayLine(NamedTuple):
    """One reason for which somebody is owed money."""

    reason: str
    cents: int


class OwedPay(NamedTuple):
    """What one person earned."""

    session_id: str
    participant_id: str
    condition: str
    currency: str
    base_cents: int
    bonus_cents: int
    lines: tuple[PayLine, ...]
    """Why, line by line; they add up to the total."""
    minutes: float | None
    """How long it took."""

    @property
    def reason(self) -> str:
        """Why, in a few words."""
        return "; ".join(line.reason for line in self.lines)

    @property
    def total_cents(self) -> int:
        """Base pay and bonus."""
        return self.base_cents + self.bonus_cents


class Account(NamedTuple):
    """What the ledger says about one session."""

    confirmed: Counter[PayWay]
    """Cents that the platform says are paid."""
    open: tuple[PayEntry, ...] = ()
    """Orders that are neither confirmed nor failed."""
    n_entries: int = 0
    accepted: frozenset[str] = frozenset()
    """Orders that the platform said it would pay."""

    @property
    def paid_cents(self) -> int:
        """All that is confirmed."""
        return self.confirmed.total()

    def open_cents(self, *ways: PayWay) -> int:
        """Return what is on its way."""
        return sum(entry.cents for entry in self.open if entry.way in ways)


class DuePay(NamedTuple):
    """What can be ordered now."""

    way: PayWay
    cents: int
    reason: str


class Step(NamedTuple):
    """A step that the ledger should take."""

    step: PayStep
    way: PayWay
    cents: int
    reason: str
    order_id: str = ""


class Dues(NamedTuple):
    """What is due to one person, or why nothing can be paid."""

    now: tuple[DuePay, ...] = ()
    note: str = ""
    """One clause, such as "waits until the submission is returned"; empty when there is nothing to say."""


NO_ACCOUNT = Account(Counter())


def owed_in(events: Sequence[Event]) -> OwedPay | None:
    """Return what the person of a session earned; None for simulated people, and before the pay is settled."""
    settled = next((event for event in reversed(events) if isinstance(event, PaySettled)), None)
    started = next((event for event in events if isinstance(event, SessionStarted)), None)
    if settled is None or started is None or started.participant_kind != "person":
        return None
    ended = next((event for event in events if isinstance(event, SessionEnded)), None)
    span_ms = page_span_ms(events)
    return OwedPay(
        session_id=started.session_id,
        participant_id=started.participant_id,
        condition=started.assignment.condition,
        currency=settled.currency,
        base_cents=round(settled.base * 100),
        bonus_cents=round(settled.bonus * 100),
        lines=tuple(_lines(settled, ended)),
        minutes=None if span_ms is None else span_ms / 60_000,
    )


def _lines(settled: PaySettled, ended: SessionEnded | None) -> Iterator[PayLine]:
    how = "" if ended is None else f", {ended.outcome.replace('_', ' ')}"
    yield PayLine(f"base pay{how}", round(settled.base * 100))
    left = round(settled.bonus * 100)
    # Rules may earn parts of a cent; the last one takes what rounding has left, so that the lines add up.
    for number, rule in enumerate(settled.earned, start=1):
        cents = left if number == len(settled.earned) else round(rule.amount * 100)
        left -= cents
        yield PayLine(f"bonus for {rule.measure}", cents)
    if left:
        yield PayLine("bonus", left)


def accounts_from(entries: Iterable[PayEntry]) -> dict[str, Account]:
    """Fold the steps of all payments into one account for each session hash."""
    accounts: dict[str, Account] = {}
    for entry in entries:
        account = accounts.get(entry.session_hash, Account(Counter()))
        closes = entry.step in ("confirmed", "failed")
        still_open = tuple(
            order for order in account.open if not closes or (order.way, order.order_id) != (entry.way, entry.order_id)
        )
        confirmed = account.confirmed.copy()
        if entry.step == "confirmed":
            confirmed[entry.way] += entry.cents
        is_open = (entry,) if entry.step == "ordered" else ()
        accepted = account.accepted | ({entry.order_id} if entry.step == "accepted" else frozenset())
        accounts[entry.session_hash] = Account(confirmed, (*still_open, *is_open), account.n_entries + 1, accepted)
    return accounts


def reconciled(account: Account, found: PaidSubmission, now_ms: int) -> Iterator[Step]:
    """Yield what a platform's own figures say about orders that are open, and about money we did not order."""
    reward = found.reward_cents if found.status == "approved" else 0
    is_judged = found.status not in ("active", "unclear")
    yield from _settled(account, "reward", reward, lambda _: is_judged)
    yield from _settled(account, "screen_out", found.fixed_cents, lambda _: is_judged)
    yield from _settled(account, "bonus", found.bonus_cents, lambda order: _is_lost(account, order, now_ms))


def _is_lost(account: Account, order: PayEntry, now_ms: int) -> bool:
    """Tell whether an order got no answer for so long that the platform cannot be about to pay it."""
    return order.order_id not in account.accepted and now_ms - order.at_ms > PATIENCE_MS


def _settled(account: Account, way: PayWay, paid_cents: int, is_over: Callable[[PayEntry], bool]) -> Iterator[Step]:
    """Match what a platform paid with what was ordered; what is over and was not paid has failed."""
    unexplained = paid_cents - account.confirmed[way]
    for order in (entry for entry in account.open if entry.way == way):
        if unexplained >= order.cents:
            unexplained -= order.cents
            yield Step("confirmed", way, order.cents, order.reason, order.order_id)
        elif is_over(order):
            yield Step("failed", way, order.cents, "The recruiter does not show it as paid.", order.order_id)
    if unexplained > 0:
        yield Step("confirmed", way, unexplained, "Paid at the recruiter without an order from here.")


def dues_of(owed: OwedPay, account: Account, found: PaidSubmission | None) -> Dues:
    """Return what can be ordered now for a person, given what the platform says about their submission."""
    # Whichever knows of more money wins: a ledger that is behind must not pay again.
    paid = max(account.paid_cents, 0 if found is None else found.paid_cents)
    left = owed.total_cents - paid - sum(entry.cents for entry in account.open)
    if found is None:
        return Dues(note="is not known to the recruiter" if left > 0 else "")
    if left < 0:
        return Dues(note=f"was paid {-left / 100:.2f} more than owed")
    if left == 0:
        return Dues(
            note="waits to be returned, and is owed nothing" if found.status == "waiting" and not account.open else ""
        )
    if found.status == "active":
        return Dues(note="has not come back to the recruiter yet")
    if found.status == "rejected":
        return Dues(note="was rejected")
    if found.status == "unclear":
        return Dues(note="has a status that understudy does not know; look at the submission at the recruiter")
    if found.status != "waiting":
        return Dues((DuePay("bonus", left, owed.reason),))
    if owed.base_cents < found.reward_cents:
        asked = (
            "waits until the submission is returned" if found.is_return_requested else "has to be asked to return it"
        )
        return Dues(note=f"{asked}; then {left / 100:.2f} is paid as a bonus")
    reward = found.reward_cents if not (account.confirmed["reward"] or account.open_cents("reward")) else 0
    shares = (DuePay("reward", reward, owed.reason), DuePay("bonus", left - reward, owed.reason))
    return Dues(tuple(share for share in shares if share.cents > 0))
