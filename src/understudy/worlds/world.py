"""World: attributes with known causes, from which pictures can be drawn, and what can be wrong with it."""

import tomli_w
from pydantic import Field

from understudy.errors import MaterialsError
from understudy.schema import Name, Record
from understudy.schema.record import json_from_record
from understudy.worlds.laws import CLASS, Computed, Law, PerClass

RESERVED = (CLASS, "label", "id", "original_id", "changed")
"""Columns of every table that are not attributes."""


class Attribute(Record):
    """One thing that differs between pictures."""

    name: Name
    low: float
    high: float
    """Named bounds: no law may leave them."""
    law: Law


class World(Record):
    """Classes, attributes and how they depend on each other; the laws of the attributes say which causes which."""

    name: Name
    classes: tuple[str, ...] = Field(min_length=1)
    prior: tuple[float, ...] = ()
    """How often each class occurs, in proportion. Default: equally often."""
    attributes: tuple[Attribute, ...] = Field(min_length=1)
    label_noise: float = Field(default=0.0, ge=0, le=1)
    """How often the label is that of another class. The class, and all that it causes, stays."""
    scene: str = "two4two"
    """The family of scenes that draws a row."""
    parameters: dict[str, str] = {}
    """Attribute -> parameter of the scene, where the names differ. Attributes that map to "" are not drawn."""
    settings: dict[str, float | str | bool] = {}
    """Parameters of the scene that are the same for all rows."""
    groups: dict[str, tuple[str, ...]] = {}
    """Name -> attributes that people are asked about together. Default: each attribute alone."""

    @property
    def weights(self) -> tuple[float, ...]:
        """The prior of each class; adds up to 1."""
        raw = self.prior or (1.0,) * len(self.classes)
        return tuple(weight / sum(raw) for weight in raw)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all attributes, as declared."""
        return tuple(attribute.name for attribute in self.attributes)

    @property
    def asked(self) -> dict[str, tuple[str, ...]]:
        """The groups, or one for each attribute where none are named."""
        return self.groups or {name: (name,) for name in self.names}

    def attribute(self, name: str) -> Attribute:
        """Return an attribute by its name."""
        for attribute in self.attributes:
            if attribute.name == name:
                return attribute
        raise MaterialsError(
            f"The world {self.name!r} has no attribute {name!r}. Choose from: {', '.join(self.names)}."
        )


def world_faults(world: World) -> list[str]:
    """Say what is wrong with a world."""
    faults = [*_class_faults(world), *_name_faults(world)]
    for attribute in world.attributes:
        faults += _law_faults(world, attribute)
    return faults or _circle_faults(world)


def causal_order(world: World) -> tuple[Attribute, ...]:
    """Return the attributes so that each comes after its causes."""
    ordered: list[Attribute] = []
    left = list(world.attributes)
    while left:
        known = {CLASS, *(attribute.name for attribute in ordered)}
        ready = [attribute for attribute in left if known.issuperset(attribute.law.causes)]
        if not ready:
            raise MaterialsError(_circle(left))
        ordered += ready
        left = [attribute for attribute in left if attribute not in ready]
    return tuple(ordered)


def _circle_faults(world: World) -> list[str]:
    try:
        causal_order(world)
    except MaterialsError as error:
        return [str(error)]
    return []


def _circle(left: list[Attribute]) -> str:
    """Follow causes among attributes that all wait for each other, until one comes again."""
    by_name = {attribute.name: attribute for attribute in left}
    path = [left[0].name]
    while len(set(path)) == len(path):
        path.append(next(name for name in by_name[path[-1]].law.causes if name in by_name))
    path = path[path.index(path[-1]) :]
    return f"Causes go in a circle: {' depends on '.join(path)}. Take one of these dependencies out."


def _class_faults(world: World) -> list[str]:
    faults = []
    if len(set(world.classes)) < len(world.classes):
        faults.append(f"The classes are {', '.join(world.classes)}. Give each class its own name.")
    if world.prior and len(world.prior) != len(world.classes):
        faults.append(
            f"`prior` has {len(world.prior)} values for {len(world.classes)} classes. Give one for each class."
        )
    elif any(weight <= 0 for weight in world.prior):
        never = [name for name, weight in zip(world.classes, world.prior, strict=True) if weight <= 0]
        faults.append(
            f"The class {never[0]!r} never occurs: its prior is not above 0. Raise it, or leave the class out."
        )
    return faults


def _name_faults(world: World) -> list[str]:
    faults = [
        f"{name!r} is kept for the table itself. Rename the attribute." for name in world.names if name in RESERVED
    ]
    twice = sorted({name for name in world.names if world.names.count(name) > 1})
    faults += [f"There are two attributes {name!r}. Rename one." for name in twice]
    unknown = sorted(set(world.parameters) - set(world.names))
    faults += [
        f"`parameters` names {name!r}, which is not an attribute. Choose from: {', '.join(world.names)}."
        for name in unknown
    ]
    faults += [
        f"The group {group!r} has {name!r}, which is not an attribute. Choose from: {', '.join(world.names)}."
        for group, names in world.groups.items()
        for name in names
        if name not in world.names
    ]
    faults += [
        f"The group {group!r} is empty. Name its attributes." for group, names in world.groups.items() if not names
    ]
    return faults


def _law_faults(world: World, attribute: Attribute) -> list[str]:
    faults = []
    if not attribute.low < attribute.high:
        faults.append(
            f"{attribute.name!r} is bounded by {attribute.low:g} and {attribute.high:g}. Give a smaller `low`."
        )
    low, high = attribute.law.limits
    if low < attribute.low - 1e-12 or high > attribute.high + 1e-12:
        faults.append(
            f"{attribute.name!r} is drawn from {low:g} to {high:g}, outside its bounds {attribute.low:g} to "
            f"{attribute.high:g}. Change its law or its bounds."
        )
    others = ", ".join(name for name in world.names if name != attribute.name)
    faults += [
        f"{attribute.name!r} depends on {cause!r}, which is not an attribute. Choose from: {CLASS}, {others}."
        for cause in attribute.law.causes
        if cause not in (CLASS, *world.names)
    ]
    faults += [
        f"{attribute.name!r} has laws for the classes {', '.join(law.classes)}, but the classes are "
        f"{', '.join(world.classes)}. Give one law for each."
        for law in _laws_inside(attribute.law)
        if isinstance(law, PerClass) and set(law.classes) != set(world.classes)
    ]
    return faults


def _laws_inside(law: Record) -> list[Record]:
    """Return a law with all those that it is made of."""
    inside = [law]
    for _, value in law:
        held = value.values() if isinstance(value, dict) else value if isinstance(value, tuple) else (value,)
        inside += [part for child in held if isinstance(child, Record) for part in _laws_inside(child)]
    return inside


def toml_from_world(world: World) -> str:
    """Write a world as TOML; one with functions has no such form."""
    if has_function(world):
        raise MaterialsError(
            f"The world {world.name!r} has computed attributes, which only Python can hold. Keep it in Python."
        )
    return tomli_w.dumps(json_from_record(world))


def has_function(world: World) -> bool:
    """Say whether some attribute is drawn by a function, which no file can hold."""
    return any(isinstance(law, Computed) for attribute in world.attributes for law in _laws_inside(attribute.law))
