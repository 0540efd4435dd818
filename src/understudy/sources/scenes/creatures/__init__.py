"""Creatures: species that differ in combinations of parts, as scenes whose parts can be removed and exchanged."""

from typing import TYPE_CHECKING

from understudy.deferred.names import defer_names

if TYPE_CHECKING:
    from understudy.sources.scenes.creatures.creature import Creature, creature_scene, with_part_of, without_part
    from understudy.sources.scenes.creatures.importance import (
        ImportanceSettings,
        PartImportance,
        other_forms,
        part_importance,
    )
    from understudy.sources.scenes.creatures.part_agreement import (
        AgreementSettings,
        PartAgreement,
        part_agreement,
        part_scores,
    )
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
    from understudy.sources.scenes.creatures.sheet import species_sheet
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
    "AgreementSettings",
    "Anatomy",
    "Creature",
    "CreaturePool",
    "CreatureSet",
    "DrawnCreatures",
    "ImportanceSettings",
    "PartAgreement",
    "PartImportance",
    "PartKind",
    "creature_at",
    "creature_scene",
    "creature_table",
    "creatures_of",
    "draw_creatures",
    "other_forms",
    "part_agreement",
    "part_importance",
    "part_scores",
    "render_creatures",
    "species_names",
    "species_sheet",
    "with_part_of",
    "without_part",
    "write_creatures",
]

defer_names(__name__)
