"""Worlds at work: what models rely on, what counterfactuals move, and what a world looks like."""

from understudy.workflow.worlds.effects import Effects, ImportanceOptions, effects_of
from understudy.workflow.worlds.importance import (
    ModelName,
    effects_from_run,
    key_from_effects,
    relevance_key,
    relevance_key_from_file,
)
from understudy.workflow.worlds.opening import world_from_source
from understudy.workflow.worlds.picture_models import PictureModel, picture_model

__all__ = [
    "Effects",
    "ImportanceOptions",
    "ModelName",
    "PictureModel",
    "effects_from_run",
    "effects_of",
    "key_from_effects",
    "picture_model",
    "relevance_key",
    "relevance_key_from_file",
    "world_from_source",
]
