"""Concepts: extra information about an object that may help a model, or harm it."""

from typing import TYPE_CHECKING

from understudy.deferred.names import defer_names

if TYPE_CHECKING:
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

ENTRIES = {
    "concepts": {
        "intensity": ("average_intensity", "intensity_normalization"),
        "labels": ("label_hint", "wrong_label"),
        "positions": ("rotation", "scaling", "rotation_and_scaling"),
    },
}
"""Which names of study files each module registers, by catalogue."""

defer_names(__name__)
