"""Casts for rehearsals, from a name or a file, and the effects of conditions on them."""

from collections.abc import Iterator
from math import isfinite, nan
from pathlib import Path

from understudy.actions.study_files import read_record
from understudy.errors import StudyError, UnknownName
from understudy.participants.dial_people import FITTED
from understudy.registry import create, entry, names, offers
from understudy.roles import AsksRelevance, DisclosesResults, HasAbility, TurnsDials
from understudy.schema import Ability, Cast, CastMember, Effect, Ref, Study, blocks_in


def _members(**shares: float) -> tuple[CastMember, ...]:
    return tuple(CastMember(participant=Ref(name=name), share=share) for name, share in shares.items())


def _leaving(until_then: str) -> CastMember:
    """Return people who answer like others until they leave."""
    return CastMember(participant=Ref(name="dropout", params={"hazard": 0.01, "until_then": until_then}), share=0.05)


MIXED = Cast(
    name="mixed",
    members=_members(careful=0.6, noisy=0.2, learner=0.1, straight_liner=0.04, dropout=0.06),
    ability=Ability(person_sd=0.5, item_sd=0.3),
)

DIALS = Cast(
    name="dials",
    members=tuple(CastMember(participant=participant, share=1) for participant in FITTED),
    dealing="in_turn",
    ability=Ability(accuracy=0.9, person_sd=0.5, item_sd=0.3),
)
"""The calibrated strategies for dials, in equal numbers in every condition."""
RELEVANCE = Cast(
    name="relevance",
    members=(
        *_members(column_looker=0.35, probabilistic_reasoner=0.3, deterministic_reasoner=0.2, relevance_guesser=0.1),
        _leaving("column_looker"),
    ),
    dealing="in_turn",
    ability=Ability(accuracy=0.97, person_sd=0.5),
)
"""People who judge attributes by the pictures of a grid. Their shares are a guess, not fitted to any data."""
PREDICTIONS = Cast(
    name="predictions",
    members=(
        *_members(believer=0.4, map_sum_reader=0.15, similarity_judge=0.2, tree_walker=0.1, guesser=0.1),
        _leaving("believer"),
    ),
    dealing="in_turn",
    ability=Ability(accuracy=0.9, person_sd=0.5, item_sd=0.3),
)
"""People who judge predictions by maps, prototypes and trees. Their shares are a guess, not fitted to any data."""
_NAMED = {cast.name: cast for cast in (MIXED, DIALS, RELEVANCE, PREDICTIONS)}


def default_cast(study: Study) -> Cast:
    """Return the cast used by default, by what pages ask.

    `dials` for dials, `relevance` for judged attributes, `predictions` for
    predictions whose results people are told, `mixed` for others.
    """
    tasks = [block.task.name for block in blocks_in(study.flow)]
    if any(offers("tasks", task, TurnsDials) for task in tasks):
        return DIALS
    if any(offers("tasks", task, AsksRelevance) for task in tasks):
        return RELEVANCE
    return PREDICTIONS if any(offers("tasks", task, DisclosesResults) for task in tasks) else MIXED


def cast_from(name_or_path: str | None, study: Study) -> Cast:
    """Return a named cast, a cast of one kind of person, the cast of a file, or the study's default.

    Dashes in a name count as underscores.
    """
    if name_or_path is None:
        return default_cast(study)
    if name_or_path in _NAMED:
        return _NAMED[name_or_path]
    path = Path(name_or_path)
    if not path.suffix:
        name = name_or_path.replace("-", "_")
        if name not in names("participants"):
            raise UnknownName(
                f"{name_or_path!r} is not a cast. Choose from: {', '.join((*_NAMED, *names('participants')))}, "
                "or the path of a cast file."
            )
        # Strategies that compute their answers need an ability only elsewhere, such as in a comprehension test.
        person = entry("participants", name)
        ability = person.ability if isinstance(person, HasAbility) else Ability()
        return Cast(name=name, members=(CastMember(participant=Ref(name=name), share=1),), ability=ability)
    cast = read_record(path, Cast)
    faults = [f"{path.name}: {fault}" for fault in (*_member_faults(cast), *_effect_faults(cast, study))]
    if faults:
        raise StudyError(faults)
    return cast


def effect_from(text: str, study: Study) -> Effect:
    """Parse an effect from the command line, such as `explanation=shown:0.5`."""
    where, _, shift = text.rpartition(":")
    try:
        size = float(shift)
    except ValueError:
        size = nan
    if not isfinite(size) or not _is_level_form(where):
        raise StudyError([f"{text!r} is not an effect. Write factor=level:shift, such as explanation=shown:0.5."])
    return level_from(where, study).model_copy(update={"shift": size})


def level_from(text: str, study: Study) -> Effect:
    """Parse where an effect acts, such as `explanation=shown`, as an effect of size 0 on the main stages.

    Several levels, such as `explanation=shown,phase=second`, are an effect where all of them hold: an interaction.
    """
    levels_of = _levels_of(study)
    when: dict[str, str | tuple[str, ...]] = {}
    for part in text.split(","):
        if not _is_level_form(part):
            raise StudyError([f"{text!r} is not a level. Write factor=level, such as explanation=shown."])
        factor, _, level = part.strip().partition("=")
        if level not in levels_of.get(factor, ()):
            cells = ", ".join(f"{name}={level}" for name, levels in levels_of.items() for level in levels)
            raise StudyError([f"{part!r} names no level of this study. Choose from: {cells or 'none'}."])
        if factor in when:
            raise StudyError([f"{text!r} names two levels of {factor!r}; nobody has both at once. Name one."])
        when[factor] = level
    main = tuple(block.block_id for block in blocks_in(study.flow) if block.purpose == "main")
    return Effect(when=when, blocks=main, shift=0)


def _is_level_form(text: str) -> bool:
    factor, _, level = text.partition("=")
    return bool(factor and level)


def _levels_of(study: Study) -> dict[str, tuple[str, ...]]:
    return {factor.name: factor.levels for factor in study.factors if factor.scope in ("between", "within")}


def _member_faults(cast: Cast) -> Iterator[str]:
    for number, member in enumerate(cast.members, start=1):
        try:
            create("participants", member.participant)
        except UnknownName as error:
            yield f"members[{number}].participant: {error}"


def _effect_faults(cast: Cast, study: Study) -> Iterator[str]:
    """Yield a sentence for each effect that would silently do nothing."""
    levels_of = _levels_of(study)
    blocks = [block.block_id for block in blocks_in(study.flow)]
    for number, effect in enumerate(cast.ability.effects, start=1):
        where = f"ability.effects[{number}]"
        for factor, wanted in effect.when.items():
            if factor not in levels_of:
                yield f"{where}.when names {factor!r}, which is not a factor of this study. Choose from: {', '.join(levels_of) or 'none'}."
                continue
            for level in wanted if isinstance(wanted, tuple) else (wanted,):
                if level not in levels_of[factor]:
                    levels = ", ".join(levels_of[factor])
                    yield f"{where}.when names {level!r}, which is not a level of {factor!r}. Choose from: {levels}."
        for block in effect.blocks:
            if block not in blocks:
                yield f"{where}.blocks names {block!r}, which is not a block of this study. Choose from: {', '.join(blocks)}."


def with_effects(cast: Cast, effects: tuple[Effect, ...]) -> Cast:
    """Return the cast with these effects added to its ability."""
    ability: Ability = cast.ability.model_copy(update={"effects": (*cast.ability.effects, *effects)})
    return cast.model_copy(update={"ability": ability})
