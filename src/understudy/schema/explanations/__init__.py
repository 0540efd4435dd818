"""Explanations: one record for each kind, and the reader that tells them apart."""

from understudy.schema.explanations.attribution import Attribution
from understudy.schema.explanations.explanation import (
    AnyExplanation,
    Explanation,
    explanation_from_json,
    explanation_kinds,
)
from understudy.schema.explanations.heatmap import Heatmap, HeatmapLayer
from understudy.schema.explanations.path import Edit, Path, PathStep
from understudy.schema.explanations.picture import Region, ShownPicture
from understudy.schema.explanations.picture_grid import GridCell, PictureGrid
from understudy.schema.explanations.rule import Rule, RuleCondition
from understudy.schema.explanations.several import Several
from understudy.schema.explanations.similar_case import Importance, SimilarCase
from understudy.schema.explanations.token_attribution import TokenAttribution

__all__ = [
    "AnyExplanation",
    "Attribution",
    "Edit",
    "Explanation",
    "GridCell",
    "Heatmap",
    "HeatmapLayer",
    "Importance",
    "Path",
    "PathStep",
    "PictureGrid",
    "Region",
    "Rule",
    "RuleCondition",
    "Several",
    "ShownPicture",
    "SimilarCase",
    "TokenAttribution",
    "explanation_from_json",
    "explanation_kinds",
]
