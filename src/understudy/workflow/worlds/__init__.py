"""Worlds at work: what models rely on, what counterfactuals move, and what a world looks like."""

from typing import TYPE_CHECKING

from understudy.deferred.names import defer_names

if TYPE_CHECKING:
    from understudy.workflow.worlds.auditing import Rule, WorldAudit, audited_world
    from understudy.workflow.worlds.effects import Effects, ImportanceOptions, effects_of, n_pictures
    from understudy.workflow.worlds.importance import (
        ModelName,
        effects_from_run,
        key_from_effects,
        relevance_key,
        relevance_key_from_file,
        table_from_key,
    )
    from understudy.workflow.worlds.observer_check import (
        PictureObserver,
        observed_values,
        observer_check,
        pictures_from_grid,
        pictures_from_grid_folder,
    )
    from understudy.workflow.worlds.opening import world_from_source
    from understudy.workflow.worlds.picture_models import PictureModel, picture_model
    from understudy.workflow.worlds.sheets import contact_sheet, rows_by_class, write_sheet

__all__ = [
    "Effects",
    "ImportanceOptions",
    "ModelName",
    "PictureModel",
    "PictureObserver",
    "Rule",
    "WorldAudit",
    "audited_world",
    "contact_sheet",
    "effects_from_run",
    "effects_of",
    "key_from_effects",
    "n_pictures",
    "observed_values",
    "observer_check",
    "picture_model",
    "pictures_from_grid",
    "pictures_from_grid_folder",
    "relevance_key",
    "relevance_key_from_file",
    "rows_by_class",
    "table_from_key",
    "world_from_source",
    "write_sheet",
]

defer_names(__name__)
