"""Explainers: explanations of single predictions, as data."""

from typing import TYPE_CHECKING

from understudy.deferred.names import defer_names

if TYPE_CHECKING:
    from understudy.explainers.anchor import Anchor
    from understudy.explainers.composite import Composite
    from understudy.explainers.decision_boundary import DecisionBoundary
    from understudy.explainers.imported_explanations import ImportedExplanations
    from understudy.explainers.lime import Lime
    from understudy.explainers.omission import Omission
    from understudy.explainers.pictures.class_examples import ClassExamples
    from understudy.explainers.pictures.class_maps import ClassMaps
    from understudy.explainers.pictures.integrated_gradients import IntegratedGradients
    from understudy.explainers.pictures.occlusion import Occlusion
    from understudy.explainers.pictures.prototype_matches import PrototypeMatching
    from understudy.explainers.pictures.recorded_heatmaps import RecordedHeatmaps, record_heatmaps
    from understudy.explainers.pictures.rise import Rise
    from understudy.explainers.pictures.tree_path import TreePathing
    from understudy.explainers.prototype import Prototype
    from understudy.explainers.recorded_attributions import RecordedAttributions, record_attributions
    from understudy.explainers.weighted_features import WeightedFeatures
    from understudy.explainers.whole_model.logit_grid import LogitGrid
    from understudy.explainers.whole_model.recorded_grid import RecordedGrid, record_grid
    from understudy.explainers.whole_model.rendered_counterfactuals import RenderedCounterfactuals
    from understudy.explainers.whole_model.score_grid import ScoreGrid
    from understudy.explainers.whole_model.whole_tree import WholeTree
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
        "imported_explanations": ("imported_explanations",),
        "lime": ("lime",),
        "omission": ("omission",),
        "pictures.class_examples": ("class_examples",),
        "pictures.class_maps": ("class_maps",),
        "pictures.integrated_gradients": ("integrated_gradients",),
        "pictures.occlusion": ("occlusion",),
        "pictures.prototype_matches": ("prototype_matches",),
        "pictures.recorded_heatmaps": ("recorded_heatmaps",),
        "pictures.rise": ("rise",),
        "pictures.tree_path": ("tree_path",),
        "prototype": ("prototype",),
        "recorded_attributions": ("recorded_attributions",),
        "weighted_features": ("weighted_features",),
    },
    "model_explainers": {
        "whole_model.logit_grid": ("logit_grid",),
        "whole_model.recorded_grid": ("recorded_grid",),
        "whole_model.rendered_counterfactuals": ("rendered_counterfactuals",),
        "whole_model.score_grid": ("score_grid",),
        "whole_model.whole_tree": ("whole_tree",),
    },
}
"""Which names of study files each module registers, by catalogue."""

defer_names(__name__)
