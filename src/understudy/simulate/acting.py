"""Acting: one simulated person going through one session."""

from typing import NamedTuple

from understudy.conduct import Ended, Script, Session
from understudy.roles import Participant, Rng
from understudy.schema import Ability, Assignment, Event, Interacted, ResponseGiven, SessionStarted, TrialShown
from understudy.simulate.impressions import impression_of, item_shift, person_drawn
from understudy.simulate.scenes import Scenery

BETWEEN_TRIALS_MS = 400


class Role(NamedTuple):
    """Who plays, under which name, and how able they are."""

    cast: str
    participant: Participant
    ability: Ability


class Entrance(NamedTuple):
    """When and as whom a simulated person arrives."""

    session_id: str
    participant_id: str
    at_ms: int
    assignment: Assignment


def act(script: Script, role: Role, entrance: Entrance, rng: Rng, *, scenery: Scenery | None = None) -> list[Event]:
    """Play one session to its end, or to where the person leaves, and return its events in order.

    `scenery` keeps decoders open from session to session.
    """
    scenery = scenery or Scenery(script.files)
    started = SessionStarted(
        session_id=entrance.session_id, seq=1, at_ms=entrance.at_ms,
        study_name=script.study.name, study_digest=script.digest, participant_id=entrance.participant_id,
        participant_kind="synthetic", cast=role.cast, assignment=entrance.assignment,
    )  # fmt: skip
    session = Session(script, started)
    person = person_drawn(role.ability, rng)
    at_ms, seq = entrance.at_ms, 0
    while not isinstance(step := session.next, Ended):
        trial = step.trial
        shift = person.shift + item_shift(role.ability, trial.stimulus_id, script.study.seed)
        impression = impression_of(
            step, role.ability, shift, script.answers.get(trial.trial_id, {}),
            n_seen=session.n_seen(trial.task), rng=rng,
        )  # fmt: skip
        session.take(
            TrialShown(
                session_id=entrance.session_id, seq=seq + 1, at_ms=at_ms, step=step.number, trial_id=trial.trial_id
            )
        )
        reaction = role.participant.respond(trial, impression, rng, scenery.scene_of(trial))
        if reaction is None:
            break
        seq += 1
        for one in reaction.interactions:
            seq += 1
            session.take(
                Interacted(
                    session_id=entrance.session_id, seq=seq, at_ms=at_ms + int(one.after_ms), step=step.number,
                    trial_id=trial.trial_id, action=one.action, payload=one.payload,
                )
            )  # fmt: skip
        at_ms += int(reaction.rt_ms)
        seq += 1
        response = ResponseGiven(
            session_id=entrance.session_id, seq=seq, at_ms=at_ms, step=step.number, trial_id=trial.trial_id,
            response=reaction.response, rt_ms=reaction.rt_ms,
            active_ms=reaction.rt_ms if reaction.active_ms is None else reaction.active_ms,
        )  # fmt: skip
        fault = session.fault_of(response)
        if fault is not None:
            raise AssertionError(f"simulated person {role.cast!r} answered {trial.task!r} badly: {fault}")
        session.take(response)
        at_ms += BETWEEN_TRIALS_MS
    return session.events
