"""Explanations: one record for each kind, and the reader that tells them apart."""

from understudy.schema.explanations.alternatives import Alternatives, explanation_of_options
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
    merged_heatmaps,
)
from understudy.schema.explanations.path import Edit, EditPath, PathStep
from understudy.schema.explanations.picture import Region, ShownPicture
from understudy.schema.explanations.picture_grid import GridCell, Outline, PictureGrid
from understudy.schema.explanations.prototype_matches import PrototypeMatch, PrototypeMatches
from understudy.schema.explanations.prototype_tree import PrototypeTree, TreeDecision
from understudy.schema.explanations.rule import RuleCondition, RuleExplanation
from understudy.schema.explanations.several import Several
from understudy.schema.explanations.similar_case import Importance, SimilarCase
from understudy.schema.explanations.token_attribution import TokenAttribution
from understudy.schema.explanations.tree_path import TreeFork, TreePath, TreeStep

__all__ = [
    "Alternatives",
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
    "PrototypeMatch",
    "PrototypeMatches",
    "PrototypeTree",
    "Region",
    "RuleCondition",
    "RuleExplanation",
    "Several",
    "ShownPicture",
    "SimilarCase",
    "TokenAttribution",
    "TreeDecision",
    "TreeFork",
    "TreePath",
    "TreeStep",
    "explanation_from_json",
    "explanation_kinds",
    "explanation_of_options",
    "heatmap_from_arrays",
    "heatmap_layer",
    "layer_values",
    "merged_heatmaps",
]
