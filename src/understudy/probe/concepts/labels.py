"""Label concepts: the number of the right or a wrong class, drawn as a digit of random size."""

from typing import ClassVar

import numpy as np

from understudy.errors import MaterialsError
from understudy.probe.concepts.warping import warped
from understudy.registry import register
from understudy.roles import Floats, Ints, Objects, Quadrant, Rng, Shown
from understudy.schema import Record

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
