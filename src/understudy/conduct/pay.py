"""Compute the pay of a session."""

from collections.abc import Mapping

from understudy.schema import Pay, PaySettled, SessionEnded


def pay_event(pay: Pay, ended: SessionEnded, pay_share: float, scores: Mapping[str, object]) -> PaySettled:
    """Return the event that settles base pay and bonus; a missing score earns no bonus."""
    bonus = 0.0
    for rule in pay.bonuses:
        score = scores.get(rule.measure)
        # Text scores and missing scores earn nothing.
        earned = rule.per_unit * score if isinstance(score, float) else 0.0
        bonus += earned if rule.at_most is None else min(earned, rule.at_most)
    return PaySettled(
        session_id=ended.session_id,
        seq=ended.seq + 1,
        at_ms=ended.at_ms,
        currency=pay.currency,
        base=round(pay.base * pay_share, 2),
        bonus=round(bonus, 2),
    )
