"""Sessions played by the engine, recorded so that the static conductor can be held against them."""

from pathlib import Path
from typing import Any

import numpy as np

from tests.playing import START_MS, script_of
from understudy.conduct import Ended, Ledger, Script
from understudy.participants.people import effortless_answer
from understudy.prepare import prepare
from understudy.schema import Assignment, Event, Json, ResponseGiven, SessionStarted, Study, Trial, TrialShown
from understudy.serve.live_session import Live, opening
from understudy.serve.public_study import PublicStudy
from understudy.serve.static_export import PlaceWriter, drawn_assignments
from understudy.serve.static_needs import Sealer, needs_of


def recorded(study: Study, *, n_places: int, n_walks: int, reveals: bool, seed: int) -> Json:
    """Draw places of a study and play several people through each."""
    script = script_of(study)
    materials = prepare(study, Path()).materials
    public = PublicStudy(study, materials)
    writer = PlaceWriter(script, public, needs_of(script), reveals=reveals)
    rng = np.random.default_rng(seed)
    places: Json = {}
    walks: list[Any] = []
    for assignment in drawn_assignments(Ledger(study), n_places, first_arrival=0):
        name = f"place-{assignment.arrival}"
        places[name] = writer.place(name, assignment, Sealer(b"salt" * 4, n_rounds=10)).model_dump(mode="json")
        walks += [_walk(script, public, name, assignment, rng) for _ in range(n_walks)]
    return {"minutes": public.heading.minutes, "places": places, "walks": walks}


def _walk(script: Script, public: PublicStudy, name: str, assignment: Assignment, rng: np.random.Generator) -> Json:
    live = opening(script, _started(script, assignment))
    share_right, at_ms = rng.choice([0.3, 0.7, 1.0]), START_MS
    moves: list[Any] = []
    while not isinstance(live.at_hand, Ended):
        trial = live.at_hand.trial
        shown = TrialShown(
            session_id="s", seq=live.next_seq, at_ms=at_ms, step=live.at_hand.number, trial_id=trial.trial_id
        )
        at_ms += int(rng.choice([500, 3000, 9000]))
        response = _answers(script, trial, share_right, rng)
        given = ResponseGiven(
            session_id="s", seq=live.next_seq + 1, at_ms=at_ms, step=shown.step, trial_id=trial.trial_id,
            response=response, rt_ms=500,
        )  # fmt: skip
        moves.append(_moved(live, public, [shown, given]))
    return {"place": name, "moves": moves, "outcome": live.session.outcome}


def _moved(live: Live, public: PublicStudy, events: list[Event]) -> Json:
    for event in events:
        live.take(event)
    hidden = {"session_id", "stream"}
    step = live.step(public)
    return {
        "events": [event.model_dump(mode="json", exclude=hidden) for event in events],
        "step": None if step is None else step.model_dump(mode="json"),
        "preload": list(live.preload(public)),
    }


def _answers(script: Script, trial: Trial, share_right: float, rng: np.random.Generator) -> Json:
    easy: Json = {question.question_id: effortless_answer(question) for question in trial.asks}
    easy |= trial.typical
    if "consent" in easy and rng.random() < 0.1:
        return {"consent": "I do not agree"}
    key = script.answers.get(trial.trial_id, {})
    for question in trial.asks:
        if question.question_id not in key:
            continue
        options = getattr(question, "options", ())
        is_right = rng.random() < share_right or not options
        easy[question.question_id] = key[question.question_id] if is_right else str(rng.choice(options))
    return easy


def _started(script: Script, assignment: Assignment) -> SessionStarted:
    return SessionStarted(
        session_id="s", seq=1, at_ms=START_MS, study_name=script.study.name, study_digest=script.digest,
        participant_id="p", participant_kind="synthetic", assignment=assignment,
    )  # fmt: skip
