"""Actor: a simulated person who takes part in one session, and what they see of it."""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from math import exp, log
from pathlib import Path
from statistics import NormalDist
from typing import NamedTuple

from pydantic import JsonValue

from understudy.conduct import Ended, Script, Session, Step
from understudy.errors import MaterialsError
from understudy.inference import OnnxDecoder, decoder_from_bytes
from understudy.participants.people import random_answer
from understudy.roles import Floats, Participant, Reaction, Rng, Scene, mind_of
from understudy.schema import (
    Ability,
    Assignment,
    DecoderCard,
    Effect,
    Event,
    Explanation,
    FreeText,
    Impression,
    Interacted,
    Json,
    Levels,
    Number,
    Question,
    ResponseGiven,
    SessionStarted,
    Trial,
    TrialShown,
    files_named_in,
    matches,
    seed_from,
)

# Impressions: what a simulated person believes the answers are, right as often as the ability says.

MAX_REDRAWS = 20


class PersonEffect(NamedTuple):
    """How far one simulated person differs from the average, in log odds."""

    shift: float


def draw_person_effect(ability: Ability, rng: Rng) -> PersonEffect:
    """Draw the effect of a person."""
    return PersonEffect(ability.person_sd * float(rng.standard_normal()))


def item_shift(ability: Ability, stimulus_id: str | None, seed: int) -> float:
    """Return how much easier an item is than the average; the same for every person."""
    if ability.item_sd == 0 or stimulus_id is None:
        return 0.0
    # Hashed and not drawn from rng, so that every person finds the same items hard.
    uniform = (seed_from(seed, "item", stimulus_id) + 0.5) / 2**64
    return ability.item_sd * NormalDist().inv_cdf(uniform)


def slopes_of_person(ability: Ability, rng: Rng) -> Ability:
    """Return the ability of one person, whose effects differ from the average."""
    if ability.person_slope_sd == 0:
        return ability
    return _with_slopes(ability, [ability.person_slope_sd * float(rng.standard_normal()) for _ in _places(ability)])


def slopes_of_item(ability: Ability, stimulus_id: str | None, seed: int) -> Ability:
    """Return the ability for one item, whose effects differ from the average; the same for every person."""
    if ability.item_slope_sd == 0 or stimulus_id is None:
        return ability
    uniforms = ((seed_from(seed, "slope", stimulus_id, k) + 0.5) / 2**64 for k in range(len(_places(ability))))
    return _with_slopes(ability, [ability.item_slope_sd * NormalDist().inv_cdf(uniform) for uniform in uniforms])


def _places(ability: Ability) -> list[Effect]:
    """Return where effects act, each place once: several effects there, on different questions, share a slope."""
    places: list[Effect] = []
    for effect in ability.effects:
        place = Effect(when=effect.when, blocks=effect.blocks, shift=0.0)
        if effect.when and place not in places:
            places.append(place)
    return places


def _with_slopes(ability: Ability, slopes: Sequence[float]) -> Ability:
    places = zip(_places(ability), slopes, strict=True)
    own = tuple(place.model_copy(update={"shift": slope}) for place, slope in places)
    return ability.model_copy(update={"effects": (*ability.effects, *own)})


def impression_of(step: Step, ability: Ability, shift: float, key: Json, *, n_seen: int, rng: Rng) -> Impression:
    """Return the impression of one trial; `shift` adds the effects of person and item."""
    answers: Json = {}
    latents: dict[str, float] = {}
    for question in step.trial.asks:
        name = question.question_id
        total = shift + _effect(ability, step, name)
        if name in key:
            # Accuracy on the log-odds scale, where effects of person, item and condition add up.
            chance = 1 / (1 + exp(-(log(ability.accuracy / (1 - ability.accuracy)) + total)))
            right = key[name]
            answers[name] = right if rng.random() < chance else _wrong(question, right, rng)
        else:
            latents[name] = total + float(rng.standard_normal())
    # Not validated: this runs for every trial of every simulated study.
    return Impression.model_construct(
        answers=answers, latents=latents, center=ability.center, spread=ability.spread, n_seen=n_seen,
        n_in_stage=step.position,
    )  # fmt: skip


def _effect(ability: Ability, step: Step, question_id: str) -> float:
    return sum(
        effect.shift
        for effect in ability.effects
        if _applies(effect.when, step.visit.levels)
        and (not effect.blocks or step.visit.block.block_id in effect.blocks)
        and (not effect.questions or question_id in effect.questions)
    )


def _applies(when: dict[str, str | tuple[str, ...]], levels: Levels) -> bool:
    return not when or matches(when, levels)


def _wrong(question: Question, right: JsonValue, rng: Rng) -> JsonValue:
    if isinstance(question, FreeText) and question.accepts("") and not question.is_required:
        return ""
    if isinstance(question, Number) and isinstance(right, int | float):
        # A wrong number is a near miss, as people give.
        near = [other for other in (right - 1.0, right + 1.0) if question.accepts(other)]
        if near:
            return near[int(rng.integers(len(near)))]
    for _ in range(MAX_REDRAWS):
        other = random_answer(question, rng)
        if other != right:
            return other
    return random_answer(question, rng)


# Live pages for simulated people, with the same decoder that a browser would run.


class LiveDecoder:
    """A decoder on a page whose dials a simulated person can turn."""

    def __init__(self, decoder: OnnxDecoder) -> None:
        self._decoder = decoder

    def look(self, codes: Floats) -> Floats:
        """Decode the dial settings."""
        return self._decoder.decode(codes)


def scene_of(trial: Trial, files: Mapping[str, Path | bytes]) -> Scene | None:
    """Return the live part of a trial, or None if its page is static."""
    live = trial.params.get("decoder")
    if not isinstance(live, dict):
        return None
    address = str(live["address"])
    if address not in files:
        raise MaterialsError(f"The decoder {address} of trial {trial.trial_id!r} is not among the study's files.")
    return LiveDecoder(_opened(files[address], json.dumps(live["card"])))


# Loading a decoder takes far longer than one look at it.
@lru_cache(maxsize=16)
def _opened(source: Path | bytes, card: str) -> OnnxDecoder:
    content = source if isinstance(source, bytes) else source.read_bytes()
    return decoder_from_bytes(content, DecoderCard.model_validate_json(card))


# Seen pictures: the files that an explanation shows, for simulated people who look at pictures.


class SeenPictures(Mapping[str, bytes]):
    """Content address -> the bytes of a picture that a page explains something with, in reading order.

    Nothing is looked up before somebody looks, since this is made for every trial of every simulated study.
    """

    def __init__(self, explanation: Explanation | None, files: Mapping[str, Path | bytes]) -> None:
        self._explanation, self._files = explanation, files

    def __getitem__(self, address: str) -> bytes:
        """Read a picture."""
        if address not in self._addresses:
            raise KeyError(address)
        source = self._files[address]
        return source if isinstance(source, bytes) else _read(source)

    def __iter__(self) -> Iterator[str]:
        """Go through the addresses as the explanation names them."""
        return iter(self._addresses)

    def __len__(self) -> int:
        """Count the pictures."""
        return len(self._addresses)

    @cached_property
    def _addresses(self) -> dict[str, None]:
        if self._explanation is None:
            return {}
        return dict.fromkeys(files_named_in(self._explanation, self._files.keys()))


def pictures_of(trial: Trial, files: Mapping[str, Path | bytes]) -> SeenPictures:
    """Return the pictures that the explanation of a trial shows; files of other pages are not among them."""
    return SeenPictures(trial.explanation, files)


# Files are named by their content, so that what was read once stays true.
@lru_cache(maxsize=512)
def _read(source: Path) -> bytes:
    return source.read_bytes()


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
