"""Creatures: species that differ in combinations of parts, as scenes whose parts can be removed and exchanged."""

from understudy.sources.scenes.creatures.creature import Creature, creature_scene, with_part_of, without_part
from understudy.sources.scenes.creatures.pool import CreaturePool
from understudy.sources.scenes.creatures.sets import (
    CreatureSet,
    DrawnCreatures,
    creature_at,
    creature_table,
    creatures_of,
    draw_creatures,
    render_creatures,
    write_creatures,
)
from understudy.sources.scenes.creatures.species import (
    EXCHANGEABLE,
    PART_IDS,
    PART_KINDS,
    SPECIES,
    Anatomy,
    PartKind,
    species_names,
)

__all__ = [
    "EXCHANGEABLE",
    "PART_IDS",
    "PART_KINDS",
    "SPECIES",
    "Anatomy",
    "Creature",
    "CreaturePool",
    "CreatureSet",
    "DrawnCreatures",
    "PartKind",
    "creature_at",
    "creature_scene",
    "creature_table",
    "creatures_of",
    "draw_creatures",
    "render_creatures",
    "species_names",
    "with_part_of",
    "without_part",
    "write_creatures",
]
