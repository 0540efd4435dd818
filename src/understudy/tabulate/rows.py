"""The table rows of one session."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from pydantic import JsonValue

from understudy.conduct import Script, Session, resume
from understudy.conduct.scoring import StepEvents
from understudy.schema import Event, PaySettled, ResponseGiven, SessionStarted, canonical_json
from understudy.schema.events import page_span_ms


class SessionRows(NamedTuple):
    """The rows of one session: one per trial, one for the session, and one per compared question of a trial."""

    trials: list[dict[str, Any]]
    session: dict[str, Any]
    answers: list[dict[str, Any]]


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
        **({} if script.study.pilot_of is None else {"is_pilot": True}),
        **session.assignment.levels,
    }
    return SessionRows(
        _trial_rows(script, session, frame),
        _session_row(script, session, started, frame),
        _answer_rows(script, session, frame),
    )


def _trial_rows(script: Script, session: Session, frame: dict[str, Any]) -> list[dict[str, Any]]:
    rows = []
    for step in session.steps:
        response = _response_of(step)
        row = _placed(script, step, response, frame)
        for name, value in response.response.items():
            row[f"answer.{name}"] = _scalar(value)
        row.update(script.scorer.trial_scores(step))
        rows.append(row)
    return rows


def _answer_rows(script: Script, session: Session, frame: dict[str, Any]) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    if not any(factor.scope == "question" for factor in script.study.factors):
        return rows
    for step in session.steps:
        response = _response_of(step)
        asked = {question.question_id for question in script.trials[response.trial_id].asks}
        rows += [
            {
                **_placed(script, step, response, frame),
                scored.factor: scored.level,
                "answer.given": _scalar(response.response.get(scored.level)),
                **scored.scores,
            }
            for scored in script.scorer.question_scores(step, asked)
        ]
    return rows


def _response_of(step: StepEvents) -> ResponseGiven:
    response = step.events[-1]
    if not isinstance(response, ResponseGiven):
        raise TypeError("a step ends with its response")
    return response


def _placed(script: Script, step: StepEvents, response: ResponseGiven, frame: dict[str, Any]) -> dict[str, Any]:
    """Return the columns that say where a trial is in the study."""
    trial_id = response.trial_id
    return {
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


def _scalar(value: JsonValue) -> JsonValue:
    # Parquet columns hold scalars, so lists and mappings become canonical JSON.
    return canonical_json(value) if isinstance(value, list | dict) else value


def _session_row(script: Script, session: Session, started: SessionStarted, frame: dict[str, Any]) -> dict[str, Any]:
    span_ms = page_span_ms(session.events)
    pay = next((event for event in session.events if isinstance(event, PaySettled)), None)
    scores = session.scores()
    return {
        **frame,
        "cast": started.cast,
        "outcome": session.outcome or "unfinished",
        "excluded_by": session.excluded_by or script.excluded_by_codes(scores),
        "flags": ", ".join(event.flag for event in session.flags) or None,
        "n_answers": sum(script.blocks[step.block_id].purpose == "main" for step in session.steps),
        "minutes": None if span_ms is None else span_ms / 60_000,
        "base_pay": pay.base if pay else None,
        "bonus": pay.bonus if pay else None,
        **scores,
    }
