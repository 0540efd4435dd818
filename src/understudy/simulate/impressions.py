"""Impressions: what a simulated person believes the answers are, right as often as the ability says."""

from collections.abc import Sequence
from math import exp, log
from statistics import NormalDist
from typing import NamedTuple

from pydantic import JsonValue

from understudy.conduct import Step
from understudy.participants.answers import random_answer
from understudy.roles import Rng
from understudy.schema import Ability, Effect, FreeText, Impression, Json, Levels, Number, Question, matches, seed_from

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
