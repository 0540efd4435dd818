"""Participant flow: from everyone recruited to everyone analysed, with the reason for each loss."""

from collections.abc import Collection

import pandas as pd

from understudy.conduct import LEFT_EARLY, SessionStatus, session_status
from understudy.schema import FlowStep, PartialSessions, ParticipantFlow, Study

_ENDINGS: dict[SessionStatus, str] = {
    "declined": "Did not consent",
    "screened_out": "Screened out",
    "withdrew": "Withdrew",
    "abandoned": "Left without finishing",
    "active": "Still under way",
}


def analysed_sessions(
    sessions: pd.DataFrame, partial: PartialSessions = "left_out", *, keeps: Collection[str] = ()
) -> pd.DataFrame:
    """Return the sessions that were completed and not excluded, except by the exclusions in `keeps`.

    If partial sessions are kept, sessions that ended early also count if they have an answer in a main stage.
    """
    is_counted = sessions["outcome"] == "completed"
    if partial == "kept":
        is_counted |= sessions["outcome"].isin(LEFT_EARLY) & (sessions["n_answers"] > 0)
    is_kept = sessions["excluded_by"].isna() | sessions["excluded_by"].isin(list(keeps))
    return sessions[is_counted & is_kept]


def participant_flow(study: Study, sessions: pd.DataFrame, *, n_erased: int = 0) -> ParticipantFlow:
    """Return how many people left at each step; erased sessions count as withdrawn."""
    steps: list[FlowStep] = []
    remaining = sessions.assign(stop=_stops(study, sessions))
    keeps_partial = study.plan.partial_sessions == "kept"
    if n_erased:
        steps.append(_step("Withdrew, data erased", "", n_erased, remaining))
    for stop, label in _ENDINGS.items():
        leaving = remaining["stop"] == stop
        reason = ""
        if keeps_partial and stop in LEFT_EARLY:
            leaving &= remaining["n_answers"] == 0
            reason = "Before the first answer in a main stage"
        if leaving.any():
            remaining = remaining[~leaving]
            steps.append(_step(label, reason, int(leaving.sum()), remaining))
    for exclusion in study.exclusions:
        leaving = remaining["excluded_by"] == exclusion.exclusion_id
        remaining = remaining[~leaving]
        steps.append(_step(f"Excluded: {exclusion.exclusion_id}", exclusion.reason, int(leaving.sum()), remaining))
    by_hand = remaining["excluded_by"].notna()
    if by_hand.any():
        remaining = remaining[~by_hand]
        steps.append(_step("Excluded by a researcher", "Not a declared rule", int(by_hand.sum()), remaining))
    n_recruited = len(sessions) + n_erased
    # A flow that does not add up must never reach a report.
    if sum(step.n_left for step in steps) + len(remaining) != n_recruited:
        raise AssertionError("the participant flow does not add up")
    n_partial = int(remaining["stop"].isin(LEFT_EARLY).sum())
    return ParticipantFlow(
        n_recruited=n_recruited,
        steps=tuple(steps),
        n_analysed=len(remaining),
        n_partial=n_partial,
        by_condition=_by_condition(remaining),
    )


def _stops(study: Study, sessions: pd.DataFrame) -> list[SessionStatus]:
    rules = {exclusion.exclusion_id for exclusion in study.exclusions}
    return [
        session_status(
            None if outcome == "unfinished" else outcome, None if pd.isna(excluded_by) else excluded_by, rules
        )
        for outcome, excluded_by in zip(sessions["outcome"], sessions["excluded_by"], strict=True)
    ]


def _step(label: str, reason: str, n_left: int, remaining: pd.DataFrame) -> FlowStep:
    return FlowStep(
        label=label, reason=reason, n_left=n_left, n_remaining=len(remaining), by_condition=_by_condition(remaining)
    )


def _by_condition(remaining: pd.DataFrame) -> dict[str, int]:
    counts = remaining["condition"].astype(str).value_counts().sort_index()
    return {str(name): int(n) for name, n in counts.items()}
