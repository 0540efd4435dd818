"""Casting: who comes to a rehearsal, from a name or a file, and what a condition does to them."""

from pathlib import Path

from pydantic import ValidationError

from understudy.errors import StudyError, UnknownName
from understudy.registry import create, names
from understudy.schema import Ability, Cast, CastMember, Effect, Ref, Study, sentences_from_validation
from understudy.workflow.study_file import read_plain

MIXED = Cast(
    name="mixed",
    members=(
        CastMember(participant=Ref(name="careful"), share=0.6),
        CastMember(participant=Ref(name="noisy"), share=0.2),
        CastMember(participant=Ref(name="learner"), share=0.1),
        CastMember(participant=Ref(name="straight_liner"), share=0.04),
        CastMember(participant=Ref(name="dropout"), share=0.06),
    ),
)


def cast_from(name_or_path: str) -> Cast:
    """Return the mixed cast, a cast of one kind of person, or the cast a file describes."""
    if name_or_path == MIXED.name:
        return MIXED
    path = Path(name_or_path)
    if not path.suffix:
        if name_or_path not in names("participants"):
            raise UnknownName(
                f"{name_or_path!r} is not a cast. Known are: {', '.join((MIXED.name, *names('participants')))}, "
                "or the path of a cast file."
            )
        return Cast(name=name_or_path, members=(CastMember(participant=Ref(name=name_or_path), share=1),))
    try:
        cast = Cast.model_validate(read_plain(path))
    except ValidationError as error:
        raise StudyError([f"{path.name}: {sentence}" for sentence in sentences_from_validation(error)]) from None
    for member in cast.members:
        create("participants", member.participant)
    return cast


def effect_from(text: str, study: Study) -> Effect:
    """Read an effect as written on the command line, such as `explanation=shown:0.5`."""
    where, _, shift = text.rpartition(":")
    factor, _, level = where.partition("=")
    try:
        size = float(shift)
    except ValueError:
        size = float("nan")
    known = {one.name: one.levels for one in study.factors if one.scope != "item"}
    if size != size or not level:
        raise StudyError([f"{text!r} is not an effect. Write factor=level:shift, such as explanation=shown:0.5."])
    if level not in known.get(factor, ()):
        cells = ", ".join(f"{name}={one}" for name, levels in known.items() for one in levels)
        raise StudyError([f"{text!r} names no level of this study. Known are: {cells or 'none'}."])
    return Effect(when={factor: level}, shift=size)


def with_effects(cast: Cast, effects: tuple[Effect, ...]) -> Cast:
    """Return the cast with these effects on its ability."""
    ability: Ability = cast.ability.model_copy(update={"effects": (*cast.ability.effects, *effects)})
    return cast.model_copy(update={"ability": ability})
