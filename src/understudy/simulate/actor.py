"""Actor: a simulated person who takes part in one session."""

from typing import NamedTuple

from understudy.conduct import Ended, Script, Session, Step
from understudy.roles import Participant, Reaction, Rng, mind_of
from understudy.schema import Ability, Assignment, Event, Interacted, ResponseGiven, SessionStarted, TrialShown
from understudy.simulate.impressions import (
    draw_person_effect,
    impression_of,
    item_shift,
    slopes_of_item,
    slopes_of_person,
)
from understudy.simulate.scenes import scene_of
from understudy.simulate.seen_pictures import pictures_of

BETWEEN_TRIALS_MS = 400


class CastRole(NamedTuple):
    """A kind of simulated person: name in the cast, behaviour and ability."""

    cast: str
    participant: Participant
    ability: Ability


class Arrival(NamedTuple):
    """A simulated person's arrival: time, ids and assignment."""

    session_id: str
    participant_id: str
    at_ms: int
    assignment: Assignment


class Actor:
    """A simulated person who reacts to each step, in memory or in a browser."""

    def __init__(self, script: Script, role: CastRole, rng: Rng) -> None:
        self.role = role
        self._script = script
        self._rng = rng
        self._person = draw_person_effect(role.ability, rng)
        self._ability = slopes_of_person(role.ability, rng)
        self._mind = mind_of(role.participant)

    def reaction_to(self, step: Step, *, n_seen: int) -> Reaction | None:
        """Return the reaction to a step, or None to leave; `n_seen` is the number of answered trials of this task."""
        trial, seed = step.trial, self._script.study.seed
        ability = slopes_of_item(self._ability, trial.stimulus_id, seed)
        shift = self._person.shift + item_shift(ability, trial.stimulus_id, seed)
        key = self._script.answers.get(trial.trial_id, {})
        impression = impression_of(step, ability, shift, key, n_seen=n_seen, rng=self._rng)
        if trial.explanation is not None:
            seen = pictures_of(trial, self._script.files)
            impression = impression.model_copy(update={"pictures": seen})
        return self._mind.respond(trial, impression, self._rng, scene_of(trial, self._script.files))


def play_session(script: Script, actor: Actor, arrival: Arrival) -> list[Event]:
    """Play a session until it ends or the person leaves, and return its events in order."""
    started = SessionStarted(
        session_id=arrival.session_id, seq=1, at_ms=arrival.at_ms,
        study_name=script.study.name, study_digest=script.digest, participant_id=arrival.participant_id,
        participant_kind="synthetic", cast=actor.role.cast, assignment=arrival.assignment,
    )  # fmt: skip
    session = Session(script, started)
    at_ms, seq = arrival.at_ms, 0
    while not isinstance(step := session.next, Ended):
        trial = step.trial
        reaction = actor.reaction_to(step, n_seen=session.n_seen(trial.task))
        session.take(
            TrialShown(
                session_id=arrival.session_id, seq=seq + 1, at_ms=at_ms, step=step.number, trial_id=trial.trial_id
            )
        )
        if reaction is None:
            break
        seq += 1
        for interaction in reaction.interactions:
            seq += 1
            session.take(
                Interacted(
                    session_id=arrival.session_id, seq=seq, at_ms=at_ms + int(interaction.after_ms), step=step.number,
                    trial_id=trial.trial_id, action=interaction.action, payload=interaction.payload,
                )
            )  # fmt: skip
        at_ms += int(reaction.rt_ms)
        seq += 1
        response = ResponseGiven(
            session_id=arrival.session_id, seq=seq, at_ms=at_ms, step=step.number, trial_id=trial.trial_id,
            response=reaction.response, rt_ms=reaction.rt_ms,
            active_ms=reaction.rt_ms if reaction.active_ms is None else reaction.active_ms,
        )  # fmt: skip
        # A wrong answer is a bug of the simulated person, and would be rejected by a real server.
        fault = session.fault_of(response)
        if fault is not None:
            raise AssertionError(f"simulated person {actor.role.cast!r} answered {trial.task!r} badly: {fault}")
        session.take(response)
        at_ms += BETWEEN_TRIALS_MS
    return session.events
