"""Explainers of a whole model, which form a separate catalogue."""

from typing import TYPE_CHECKING

from understudy.deferred.names import defer_names

if TYPE_CHECKING:
    from understudy.explainers.whole_model.logit_grid import LogitGrid
    from understudy.explainers.whole_model.recorded_grid import RecordedGrid, record_grid
    from understudy.explainers.whole_model.rendered_counterfactuals import RenderedCounterfactuals
    from understudy.explainers.whole_model.score_grid import ScoreGrid
    from understudy.explainers.whole_model.whole_tree import WholeTree

__all__ = ["LogitGrid", "RecordedGrid", "RenderedCounterfactuals", "ScoreGrid", "WholeTree", "record_grid"]

ENTRIES = {
    "model_explainers": {
        "logit_grid": ("logit_grid",),
        "recorded_grid": ("recorded_grid",),
        "rendered_counterfactuals": ("rendered_counterfactuals",),
        "score_grid": ("score_grid",),
        "whole_tree": ("whole_tree",),
    },
}
"""Which names of study files each module registers, by catalogue."""

defer_names(__name__)
