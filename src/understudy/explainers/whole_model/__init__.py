"""Explanations of a whole model, in a catalogue of their own."""

from understudy.explainers.whole_model.score_grid import ScoreGrid

__all__ = ["ScoreGrid"]
