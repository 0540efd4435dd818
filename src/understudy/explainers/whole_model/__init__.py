"""Explainers of a whole model, which form a separate catalogue."""

from understudy.explainers.whole_model.logit_grid import LogitGrid
from understudy.explainers.whole_model.recorded_grid import RecordedGrid, record_grid
from understudy.explainers.whole_model.rendered_counterfactuals import RenderedCounterfactuals
from understudy.explainers.whole_model.score_grid import ScoreGrid
from understudy.explainers.whole_model.whole_tree import WholeTree

__all__ = ["LogitGrid", "RecordedGrid", "RenderedCounterfactuals", "ScoreGrid", "WholeTree", "record_grid"]
