"""Intensity concepts: the mean of an object as a flat patch, or the object before rescaling."""

from typing import ClassVar

import numpy as np
from pydantic import Field

from understudy.registry import register
from understudy.roles import Ints, Objects, Quadrant, Rng, Shown
from understudy.schema import Record


@register("concepts", "average_intensity")
class AverageIntensity(Record):
    """Leaves objects as they are; the extra information is their mean, everywhere."""

    place: ClassVar[Quadrant] = "upper right"

    def show(self, objects: Objects, labels: Ints, rng: Rng) -> Shown:
        """Return the objects, and flat ones of the same mean."""
        axes = tuple(range(1, objects.ndim))
        return Shown(objects, np.broadcast_to(objects.mean(axis=axes, keepdims=True), objects.shape).copy())


@register("concepts", "intensity_normalization")
class IntensityNormalization(Record):
    """Rescales the intensity of every object at random; the extra information is the object before that."""

    place: ClassVar[Quadrant] = "upper right"
    weakest: float = Field(default=0.1, ge=0, lt=1)
    """The smallest factor; the largest is 1. Ours: the published range is unknown."""

    def show(self, objects: Objects, labels: Ints, rng: Rng) -> Shown:
        """Return rescaled objects, and those before."""
        factors = rng.uniform(self.weakest, 1, size=(len(objects), *[1] * (objects.ndim - 1))).astype(np.float32)
        return Shown(objects * factors, objects)
