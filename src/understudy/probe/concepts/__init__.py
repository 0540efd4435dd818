"""Concepts: extra information about an object that may help a model, or harm it."""

from understudy.probe.concepts.from_function import ConceptFrom
from understudy.probe.concepts.intensity import AverageIntensity, IntensityNormalization
from understudy.probe.concepts.labels import LabelHint, WrongLabel
from understudy.probe.concepts.positions import Rotation, RotationAndScaling, Scaling

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
