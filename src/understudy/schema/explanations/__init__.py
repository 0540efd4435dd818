"""Explanations: one record for each kind, and the reader that tells them apart."""

from understudy.schema.explanations.attribution import Attribution
from understudy.schema.explanations.explanation import (
    AnyExplanation,
    Explanation,
    explanation_from_json,
    explanation_kinds,
)
from understudy.schema.explanations.heatmap import (
    Heatmap,
    HeatmapLayer,
    heatmap_from_arrays,
    heatmap_layer,
    layer_values,
)
from understudy.schema.explanations.path import Edit, EditPath, PathStep
from understudy.schema.explanations.picture import Region, ShownPicture
from understudy.schema.explanations.picture_grid import GridCell, Outline, PictureGrid
from understudy.schema.explanations.rule import RuleCondition, RuleExplanation
from understudy.schema.explanations.several import Several
from understudy.schema.explanations.similar_case import Importance, SimilarCase
from understudy.schema.explanations.token_attribution import TokenAttribution

__all__ = [
    "AnyExplanation",
    "Attribution",
    "Edit",
    "EditPath",
    "Explanation",
    "GridCell",
    "Heatmap",
    "HeatmapLayer",
    "Importance",
    "Outline",
    "PathStep",
    "PictureGrid",
    "Region",
    "RuleCondition",
    "RuleExplanation",
    "Several",
    "ShownPicture",
    "SimilarCase",
    "TokenAttribution",
    "explanation_from_json",
    "explanation_kinds",
    "heatmap_from_arrays",
    "heatmap_layer",
    "layer_values",
]
