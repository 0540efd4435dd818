"""Compute the pay of a session."""

from collections.abc import Mapping
from typing import NamedTuple

from understudy.schema import Gate, Pay, PaySettled, SessionEnded, Stop
from understudy.schema.events import EarnedBonus
from understudy.schema.pay import minor_digits


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
