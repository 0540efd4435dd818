"""Concepts: extra information about an object that may help a model, or harm it."""

from understudy.concepts.intensity import AverageIntensity, IntensityNormalization
from understudy.concepts.labels import LabelHint, WrongLabel
from understudy.concepts.own import ConceptFrom
from understudy.concepts.positions import Rotation, RotationAndScaling, Scaling

__all__ = [
    "AverageIntensity",
    "ConceptFrom",
    "IntensityNormalization",
    "LabelHint",
    "Rotation",
    "RotationAndScaling",
    "Scaling",
    "WrongLabel",
]
