"""Casting: who comes to a rehearsal, from a name or a file, and what a condition does to them."""

from collections.abc import Iterator
from math import isfinite, nan
from pathlib import Path

from understudy.errors import StudyError, UnknownName
from understudy.participants.dials.fits import FITTED
from understudy.registry import create, entry, names, offers
from understudy.roles import HasAbility, TurnsDials
from understudy.schema import Ability, Cast, CastMember, Effect, Ref, Study, blocks_in
from understudy.workflow.study_file import read_record

MIXED = Cast(
    name="mixed",
    members=(
        CastMember(participant=Ref(name="careful"), share=0.6),
        CastMember(participant=Ref(name="noisy"), share=0.2),
        CastMember(participant=Ref(name="learner"), share=0.1),
        CastMember(participant=Ref(name="straight_liner"), share=0.04),
        CastMember(participant=Ref(name="dropout"), share=0.06),
    ),
    ability=Ability(person_sd=0.5, item_sd=0.3),
)

DIALS = Cast(
    name="dials",
    members=tuple(CastMember(participant=one, share=1) for one in FITTED),
    dealing="in_turn",
    ability=Ability(accuracy=0.9, person_sd=0.5, item_sd=0.3),
)
"""The people who turn dials, as calibrated, in equal numbers in every condition."""
_NAMED = {one.name: one for one in (MIXED, DIALS)}


def default_cast(study: Study) -> Cast:
    """Return who comes when nobody is named: people who turn dials where there are some, the mixed cast elsewhere."""
    has_dials = any(offers("tasks", block.task.name, TurnsDials) for block in blocks_in(study.flow))
    return DIALS if has_dials else MIXED


def cast_from(name_or_path: str | None, study: Study) -> Cast:
    """Return a named cast, one of a single kind of person, the one a file describes, or the study's usual one.

    Dashes in a name stand for underscores.
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
                f"{name_or_path!r} is not a cast. Known are: {', '.join((*_NAMED, *names('participants')))}, "
                "or the path of a cast file."
            )
        # People who work answers out need an impression only elsewhere, as in a test of the instructions.
        person = entry("participants", name)
        ability = person.ability if isinstance(person, HasAbility) else Ability()
        return Cast(name=name, members=(CastMember(participant=Ref(name=name), share=1),), ability=ability)
    cast = read_record(path, Cast)
    faults = [f"{path.name}: {fault}" for fault in (*_member_faults(cast), *_effect_faults(cast, study))]
    if faults:
        raise StudyError(faults)
    return cast


def effect_from(text: str, study: Study) -> Effect:
    """Read an effect as written on the command line, such as `explanation=shown:0.5`."""
    where, _, shift = text.rpartition(":")
    try:
        size = float(shift)
    except ValueError:
        size = nan
    if not isfinite(size) or not _is_level_form(where):
        raise StudyError([f"{text!r} is not an effect. Write factor=level:shift, such as explanation=shown:0.5."])
    return level_from(where, study).model_copy(update={"shift": size})


def level_from(text: str, study: Study) -> Effect:
    """Read where an effect acts, such as `explanation=shown`: on the main stages there; its size is left at 0."""
    if not _is_level_form(text):
        raise StudyError([f"{text!r} is not a level. Write factor=level, such as explanation=shown."])
    factor, _, level = text.partition("=")
    known = _levels_of(study)
    if level not in known.get(factor, ()):
        cells = ", ".join(f"{name}={one}" for name, levels in known.items() for one in levels)
        raise StudyError([f"{text!r} names no level of this study. Known are: {cells or 'none'}."])
    main = tuple(block.block_id for block in blocks_in(study.flow) if block.purpose == "main")
    return Effect(when={factor: level}, blocks=main, shift=0)


def _is_level_form(text: str) -> bool:
    factor, _, level = text.partition("=")
    return bool(factor and level)


def _levels_of(study: Study) -> dict[str, tuple[str, ...]]:
    return {one.name: one.levels for one in study.factors if one.scope != "item"}


def _member_faults(cast: Cast) -> Iterator[str]:
    for place, member in enumerate(cast.members, start=1):
        try:
            create("participants", member.participant)
        except UnknownName as error:
            yield f"members[{place}].participant: {error}"


def _effect_faults(cast: Cast, study: Study) -> Iterator[str]:
    """Yield the effects that would silently act nowhere."""
    known = _levels_of(study)
    blocks = [block.block_id for block in blocks_in(study.flow)]
    for place, effect in enumerate(cast.ability.effects, start=1):
        where = f"ability.effects[{place}]"
        for factor, wanted in effect.when.items():
            if factor not in known:
                yield f"{where}.when names {factor!r}, which is no factor here. Known are: {', '.join(known) or 'none'}."
                continue
            for level in wanted if isinstance(wanted, tuple) else (wanted,):
                if level not in known[factor]:
                    levels = ", ".join(known[factor])
                    yield f"{where}.when names {level!r}, which is no level of {factor!r}. Known are: {levels}."
        for block in effect.blocks:
            if block not in blocks:
                yield f"{where}.blocks names {block!r}, which is no block here. Known are: {', '.join(blocks)}."


def with_effects(cast: Cast, effects: tuple[Effect, ...]) -> Cast:
    """Return the cast with these effects on its ability."""
    ability: Ability = cast.ability.model_copy(update={"effects": (*cast.ability.effects, *effects)})
    return cast.model_copy(update={"ability": ability})
