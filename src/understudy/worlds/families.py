"""Families of scenes, and worlds by name or from a file."""

import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from understudy.errors import MaterialsError, UnknownName
from understudy.schema import Record
from understudy.schema.faults import sentences_from_validation
from understudy.worlds.creatures import Creature, creature_scene
from understudy.worlds.scene import Scene
from understudy.worlds.sixt2022 import AS_IN_CODE, sixt2022
from understudy.worlds.two4two import Two4Two, two4two_scene
from understudy.worlds.world import World, world_faults


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


# Worlds by name: those that come with the package, and those in TOML files. A name belongs to one world.


class _Named(NamedTuple):
    about: str
    make: Callable[[], World]


_WORLDS = {
    "sixt2022": _Named("what the paper of Sixt et al. (2022) says", sixt2022),
    "sixt2022-code": _Named(
        "what the code of its study draws; the ready studies and recipes use it", lambda: sixt2022(AS_IN_CODE)
    ),
}


def world_names() -> tuple[str, ...]:
    """Return the names of all worlds that come with the package."""
    return tuple(sorted(_WORLDS))


def world_named(name: str) -> World:
    """Return a world that comes with the package."""
    if name not in _WORLDS:
        raise UnknownName(f"{name!r} is not a world. Choose from: {', '.join(world_names())}; or give a TOML file.")
    return _WORLDS[name].make()


def world_about(name: str) -> str:
    """Say what a world that comes with the package is, in a few words."""
    return _WORLDS[name].about


def checked(world: World) -> World:
    """Return the world, or say everything that is wrong with it, one sentence each."""
    faults = [*world_faults(world), *_taken_name_faults(world)]
    if faults:
        raise MaterialsError("\n".join(faults))
    return world


def world_from_toml(path: Path) -> World:
    """Read a world from a TOML file."""
    try:
        plain = tomllib.loads(path.read_text(encoding="utf-8"))
        return checked(World.model_validate(plain))
    except OSError as error:
        raise MaterialsError(f"{str(path)!r} cannot be read: {error.strerror}. Give the path of a TOML file.") from None
    except tomllib.TOMLDecodeError as error:
        raise MaterialsError(f"{str(path)!r} is not a TOML file: {error}. Correct that line.") from None
    except ValidationError as error:
        raise MaterialsError("\n".join(sentences_from_validation(error, World))) from None


def _taken_name_faults(world: World) -> list[str]:
    """Refuse a changed world under the name of the one it was copied from: results would be taken for that one's."""
    if world.name not in _WORLDS or world == (known := world_named(world.name)):
        return []
    laws = {attribute.name: attribute for attribute in known.attributes}
    changed = [attribute.name for attribute in world.attributes if laws.get(attribute.name) != attribute]
    changed += [name for name in laws if name not in world.names]
    changed += [
        f"`{field}`"
        for field in World.model_fields
        if field not in ("name", "attributes") and getattr(world, field) != getattr(known, field)
    ]
    return [
        f"The name {world.name!r} belongs to a world that comes with understudy, and this one differs from it in "
        f"{', '.join(changed) or 'the order of its attributes'}. Give it another name."
    ]
