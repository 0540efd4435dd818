"""Explainers of a whole model, which form a separate catalogue."""

from understudy.explainers.whole_model.score_grid import ScoreGrid

__all__ = ["ScoreGrid"]
