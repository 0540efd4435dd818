"""Position concepts: an upright view of a rotated object, its natural size, and both."""

from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import Field, field_validator

from understudy.errors import MaterialsError
from understudy.probe.concepts.warping import warped
from understudy.registry import register
from understudy.roles import Floats, Ints, Objects, Quadrant, Rng, Shown
from understudy.schema import Record

CLOTHES = (
    (0.55, 0.75),
    (0.80, 1.00),
    (0.60, 0.80),
    (0.75, 1.00),
    (0.70, 0.95),
    (0.20, 0.35),
    (0.55, 0.75),
    (0.25, 0.40),
    (0.30, 0.60),
    (0.30, 0.50),
)
"""Sizes of the ten classes of Fashion-MNIST, as a share of the largest. Ours: the published ones are unknown."""


@register("concepts", "rotation")
class Rotation(Record):
    """Turns every object at random; the extra information is the object upright."""

    place: ClassVar[Quadrant] = "upper right"
    max_degrees: float = Field(default=180, gt=0, le=180)

    def show(self, objects: Objects, labels: Ints, rng: Rng) -> Shown:
        """Return turned objects, and upright ones."""
        return Shown(_turned(objects, self.max_degrees, rng), objects)


class _Sized(Record):
    sizes: tuple[tuple[float, float], ...] | Literal["clothes"] = "clothes"
    """The smallest and the largest share of the full size, for each class; `clothes` for those of Fashion-MNIST."""

    @field_validator("sizes")
    @classmethod
    def _sizes_fit(cls, sizes: Any) -> Any:
        if sizes != "clothes" and not all(0 < low <= high <= 1 for low, high in sizes):
            raise ValueError("each size is a smallest and a largest share between 0 and 1, such as [0.3, 0.5].")
        return sizes

    def _scales(self, labels: Ints, rng: Rng) -> Floats:
        sizes = np.array(CLOTHES if self.sizes == "clothes" else self.sizes)
        n_classes = int(labels.max(initial=-1)) + 1
        if n_classes > len(sizes):
            raise MaterialsError(
                f"Sizes are stated for {len(sizes)} classes, but the objects have {n_classes}. Give one pair each."
            )
        low, high = sizes[labels].T
        scales: Floats = rng.uniform(low, high)
        return scales


@register("concepts", "scaling")
class Scaling(_Sized):
    """Leaves objects as large as the picture; the extra information is the object at the size of its class."""

    place: ClassVar[Quadrant] = "upper right"

    def show(self, objects: Objects, labels: Ints, rng: Rng) -> Shown:
        """Return the objects, and smaller ones."""
        _require_pictures(objects)
        scales = self._scales(labels, rng)
        return Shown(objects, warped(objects, degrees=np.zeros(len(objects)), scales=scales))


@register("concepts", "rotation_and_scaling")
class RotationAndScaling(_Sized):
    """Turns every object; the extra information is the object upright at the size of its class."""

    place: ClassVar[Quadrant] = "lower right"
    max_degrees: float = Field(default=180, gt=0, le=180)

    def show(self, objects: Objects, labels: Ints, rng: Rng) -> Shown:
        """Return turned objects, and upright smaller ones."""
        turned = _turned(objects, self.max_degrees, rng)
        scales = self._scales(labels, rng)
        return Shown(turned, warped(objects, degrees=np.zeros(len(objects)), scales=scales))


def _turned(objects: Objects, max_degrees: float, rng: Rng) -> Objects:
    _require_pictures(objects)
    degrees = rng.uniform(-max_degrees, max_degrees, size=len(objects))
    return warped(objects, degrees=degrees, scales=np.ones(len(objects)))


def _require_pictures(objects: Objects) -> None:
    if objects.ndim != 3:
        raise MaterialsError(
            "Only pictures can be turned or resized, and these objects are rows of numbers. Choose another concept."
        )
