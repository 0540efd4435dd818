"""The table rows of one session."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from understudy.conduct import Script, Session, resume
from understudy.schema import Event, PaySettled, ResponseGiven, SessionStarted, canonical_json


class SessionRows(NamedTuple):
    """The rows of one session: one per trial, and one for the session."""

    trials: list[dict[str, Any]]
    session: dict[str, Any]


def rows_from_events(script: Script, events: Sequence[Event]) -> SessionRows:
    """Return the rows of one session by replaying its events through the state machine that ran it."""
    session = resume(script, events).session
    started = events[0]
    if not isinstance(started, SessionStarted):
        raise TypeError("a resumed session begins with session_started")
    frame = {
        "session": session.session_id,
        "participant": started.participant_id,
        "is_synthetic": started.participant_kind == "synthetic",
        "condition": session.assignment.condition,
        **session.assignment.levels,
    }
    return SessionRows(_trial_rows(script, session, frame), _session_row(script, session, started, frame))


def _trial_rows(script: Script, session: Session, frame: dict[str, Any]) -> list[dict[str, Any]]:
    rows = []
    for step in session.steps:
        response = step.events[-1]
        if not isinstance(response, ResponseGiven):
            raise TypeError("a step ends with its response")
        trial_id = response.trial_id
        row = {
            **frame,
            **step.levels,
            **script.strata.get(trial_id, {}),
            "block": step.block_id,
            "try": step.try_number,
            "position": step.position,
            "trial": trial_id,
            "item": script.trials[trial_id].stimulus_id,
            "rt_ms": response.rt_ms,
        }
        for name, value in response.response.items():
            # Parquet columns hold scalars, so lists and mappings become canonical JSON.
            row[f"answer.{name}"] = canonical_json(value) if isinstance(value, list | dict) else value
        row.update(script.scorer.trial_scores(step))
        rows.append(row)
    return rows


def _session_row(script: Script, session: Session, started: SessionStarted, frame: dict[str, Any]) -> dict[str, Any]:
    times = [event.at_ms for event in session.events if event.stream == "page"]
    pay = next((event for event in session.events if isinstance(event, PaySettled)), None)
    return {
        **frame,
        "cast": started.cast,
        "outcome": session.outcome or "unfinished",
        "excluded_by": session.excluded_by,
        "n_answers": sum(script.blocks[step.block_id].purpose == "main" for step in session.steps),
        "minutes": (times[-1] - times[0]) / 60_000 if times else None,
        "base_pay": pay.base if pay else None,
        "bonus": pay.bonus if pay else None,
        **session.scores(),
    }
