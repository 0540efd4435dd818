"""Explainers: what is said about a prediction, as data."""

from understudy.explainers.anchor import Anchor
from understudy.explainers.imported_explanations import ImportedExplanations
from understudy.explainers.lime import Lime
from understudy.explainers.weighted_features import WeightedFeatures

__all__ = ["Anchor", "ImportedExplanations", "Lime", "WeightedFeatures"]
