"""Concepts: extra information about an object that may help a model, or harm it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import Field, field_validator

from understudy.errors import MaterialsError
from understudy.registry import register
from understudy.roles import Floats, Ints, Objects, Quadrant, Rng, Shown
from understudy.schema import Record

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


@dataclass(frozen=True)
class ConceptFrom:
    """Shows unchanged objects, with the result of `about(one_object)` as the extra information."""

    about: Callable[[Objects], Objects]
    place: ClassVar[Quadrant] = "upper right"

    def show(self, objects: Objects, labels: Ints, rng: Rng) -> Shown:
        """Return the objects, and the function's value for each."""
        values = [np.asarray(self.about(item), dtype=np.float32) for item in objects]
        shapes = {value.shape for value in values}
        if len(shapes) != 1 or not all(np.isfinite(value).all() for value in values):
            raise MaterialsError(
                f"The concept returned values of {len(shapes)} shapes, or some that are not finite. It must return "
                "finite numbers of one shape for every object."
            )
        return Shown(objects, np.stack(values))


# Intensity concepts: the mean of an object as a flat patch, or the object before rescaling.


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


# Rotate and resize batches of pictures about their centre.

CHUNK = 4096
"""Pictures processed at once, to bound memory."""


def warped(pictures: Objects, *, degrees: Floats, scales: Floats) -> Objects:
    """Return each picture rotated by its angle and resized by its scale, with zeros outside."""
    result = np.empty_like(pictures)
    for start in range(0, len(pictures), CHUNK):
        part = slice(start, start + CHUNK)
        result[part] = _warped(pictures[part], np.deg2rad(degrees[part]), scales[part])
    return result


def _warped(pictures: Objects, radians: Floats, scales: Floats) -> Objects:
    n, height, width = pictures.shape
    rows, columns = np.meshgrid(np.arange(height) - (height - 1) / 2, np.arange(width) - (width - 1) / 2, indexing="ij")
    sine, cosine = (f(radians)[:, None, None] / scales[:, None, None] for f in (np.sin, np.cos))
    # Inverse mapping with bilinear interpolation: each output pixel looks up where it came from.
    from_rows = cosine * rows - sine * columns + (height - 1) / 2
    from_columns = sine * rows + cosine * columns + (width - 1) / 2
    padded = np.pad(pictures, ((0, 0), (1, 2), (1, 2)))
    top, left = np.floor(from_rows), np.floor(from_columns)
    below = (from_rows - top).astype(np.float32)
    right = (from_columns - left).astype(np.float32)
    # One empty line of padding represents everything outside the picture.
    r = np.clip(top, -1, height).astype(np.int64) + 1
    c = np.clip(left, -1, width).astype(np.int64) + 1
    k = np.arange(n)[:, None, None]
    mixed: Objects = (
        padded[k, r, c] * (1 - below) * (1 - right)
        + padded[k, r + 1, c] * below * (1 - right)
        + padded[k, r, c + 1] * (1 - below) * right
        + padded[k, r + 1, c + 1] * below * right
    )
    is_far = (top < -1) | (top > height) | (left < -1) | (left > width)
    mixed[is_far] = 0
    return mixed


# Label concepts: the number of the right or a wrong class, drawn as a digit of random size.

_DIGITS = (
    "01110 10001 10011 10101 11001 10001 01110",
    "00100 01100 00100 00100 00100 00100 01110",
    "01110 10001 00001 00110 01000 10000 11111",
    "11110 00001 00001 01110 00001 00001 11110",
    "00010 00110 01010 10010 11111 00010 00010",
    "11111 10000 11110 00001 00001 10001 01110",
    "00110 01000 10000 11110 10001 10001 01110",
    "11111 00001 00010 00100 01000 01000 01000",
    "01110 10001 10001 01110 10001 10001 01110",
    "01110 10001 10001 01111 00001 00010 01100",
)
SMALLEST = 0.4
"""Smallest size of a digit, as a share of the picture."""


@register("concepts", "label_hint")
class LabelHint(Record):
    """Leaves objects as they are; the extra information is their label."""

    place: ClassVar[Quadrant] = "upper right"

    def show(self, objects: Objects, labels: Ints, rng: Rng) -> Shown:
        """Return the objects, and their labels in digits."""
        return Shown(objects, _digits(objects, labels, int(labels.max(initial=0)) + 1, rng))


@register("concepts", "wrong_label")
class WrongLabel(Record):
    """Leaves objects as they are; the extra information is a label that is not theirs."""

    place: ClassVar[Quadrant] = "upper right"

    def show(self, objects: Objects, labels: Ints, rng: Rng) -> Shown:
        """Return the objects, and labels of other classes in digits."""
        n_classes = int(labels.max(initial=1)) + 1
        others = (labels + rng.integers(1, n_classes, size=len(labels))) % n_classes
        return Shown(objects, _digits(objects, others, n_classes, rng))


def _digits(objects: Objects, labels: Ints, n_classes: int, rng: Rng) -> Objects:
    if objects.ndim != 3:
        marks: Objects = np.eye(n_classes, dtype=np.float32)[labels]
        return marks
    if labels.max(initial=0) > 9:
        raise MaterialsError("A label is drawn as one digit, so there can be ten classes at most.")
    drawn = _pictures(objects.shape[1], objects.shape[2])[labels]
    scales: Floats = rng.uniform(SMALLEST, 1, size=len(labels))
    return warped(drawn, degrees=np.zeros(len(labels)), scales=scales)


def _pictures(height: int, width: int) -> Objects:
    """Return each digit as a picture, as large as fits."""
    small = np.array([[[float(dot) for dot in row] for row in digit.split()] for digit in _DIGITS], dtype=np.float32)
    # A 7 x 5 dot matrix with a margin of one dot: 9 x 7 cells.
    rows = np.clip((np.arange(height) * 9 / height).astype(int) - 1, -1, 7)
    columns = np.clip((np.arange(width) * 7 / width).astype(int) - 1, -1, 5)
    padded = np.pad(small, ((0, 0), (1, 1), (1, 1)))
    return np.ascontiguousarray(padded[:, rows + 1][:, :, columns + 1])


# Position concepts: an upright view of a rotated object, its natural size, and both.

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
