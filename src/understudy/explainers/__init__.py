"""Explainers: explanations of single predictions, as data."""

from typing import TYPE_CHECKING

from understudy.deferred.names import defer_names

if TYPE_CHECKING:
    from understudy.explainers.anchor import Anchor
    from understudy.explainers.composite import Composite
    from understudy.explainers.decision_boundary import DecisionBoundary
    from understudy.explainers.heat_maps import ClassMaps, IntegratedGradients, Occlusion, Rise
    from understudy.explainers.lime import Lime
    from understudy.explainers.omission import Omission
    from understudy.explainers.picture_grids import LogitGrid, RenderedCounterfactuals, ScoreGrid
    from understudy.explainers.picture_inputs import ClassExamples
    from understudy.explainers.prototype import Prototype
    from understudy.explainers.prototype_matches import PrototypeMatching, TreePathing, WholeTree
    from understudy.explainers.recorded_attributions import (
        ImportedExplanations,
        RecordedAttributions,
        record_attributions,
    )
    from understudy.explainers.recorded_grid import RecordedGrid, record_grid
    from understudy.explainers.recorded_heatmaps import RecordedHeatmaps, record_heatmaps
    from understudy.explainers.weighted_features import WeightedFeatures
    from understudy.sources.pictures import picture_from_values

__all__ = [
    "Anchor",
    "ClassExamples",
    "ClassMaps",
    "Composite",
    "DecisionBoundary",
    "ImportedExplanations",
    "IntegratedGradients",
    "Lime",
    "LogitGrid",
    "Occlusion",
    "Omission",
    "Prototype",
    "PrototypeMatching",
    "RecordedAttributions",
    "RecordedGrid",
    "RecordedHeatmaps",
    "RenderedCounterfactuals",
    "Rise",
    "ScoreGrid",
    "TreePathing",
    "WeightedFeatures",
    "WholeTree",
    "picture_from_values",
    "record_attributions",
    "record_grid",
    "record_heatmaps",
]

ENTRIES = {
    "explainers": {
        "anchor": ("anchor",),
        "composite": ("composite",),
        "decision_boundary": ("decision_boundary",),
        "recorded_attributions": ("imported_explanations", "recorded_attributions"),
        "lime": ("lime",),
        "omission": ("omission",),
        "picture_inputs": ("class_examples",),
        "heat_maps": ("class_maps", "integrated_gradients", "occlusion", "rise"),
        "prototype_matches": ("prototype_matches", "tree_path"),
        "recorded_heatmaps": ("recorded_heatmaps",),
        "prototype": ("prototype",),
        "weighted_features": ("weighted_features",),
    },
    "model_explainers": {
        "picture_grids": ("logit_grid", "rendered_counterfactuals", "score_grid"),
        "recorded_grid": ("recorded_grid",),
        "prototype_matches": ("whole_tree",),
    },
}
"""Which names of study files each module registers, by catalogue."""

defer_names(__name__)
