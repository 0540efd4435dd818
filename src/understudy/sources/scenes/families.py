"""Families of scenes: from named parameters to a scene. A family is a record of parameters and a function."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from pydantic import ValidationError

from understudy.errors import MaterialsError, UnknownName
from understudy.schema import Record
from understudy.schema.faults import sentences_from_validation
from understudy.sources.scenes.creatures.creature import Creature, creature_scene
from understudy.sources.scenes.scene import Scene
from understudy.sources.scenes.two4two import Two4Two, two4two_scene


class Family(NamedTuple):
    """A kind of scene."""

    params: type[Record]
    scene_of: Callable[[Any], Scene]


_FAMILIES: dict[str, Family] = {
    "creatures": Family(Creature, creature_scene),
    "two4two": Family(Two4Two, two4two_scene),
}


def add_family(name: str, family: Family) -> None:
    """Make a family of scenes of your own known under a name that is still free."""
    if _FAMILIES.get(name, family) != family:
        raise MaterialsError(f"There is another family of scenes named {name!r}. Choose another name.")
    _FAMILIES[name] = family


def family_named(name: str) -> Family:
    """Return a family of scenes."""
    if name not in _FAMILIES:
        raise UnknownName(f"{name!r} is not a family of scenes. Choose from: {', '.join(sorted(_FAMILIES))}.")
    return _FAMILIES[name]


def scene_from_params(name: str, params: Mapping[str, object]) -> Scene:
    """Return the scene of a family with these parameters."""
    family = family_named(name)
    try:
        return family.scene_of(family.params.model_validate(dict(params)))
    except ValidationError as error:
        raise MaterialsError("\n".join(sentences_from_validation(error, family.params))) from None
