"""Decoders known in closed form, written as ONNX: the truth of the Sinelines, and the pictures that practice uses."""

import numpy as np

from understudy.inference.onnx_builder import Sheet, Table
from understudy.sources.arrays import Floats
from understudy.sources.sinelines import TIMES

EDGE = 64
"""Rows and columns of the practice picture."""


def sinelines_truth() -> bytes:
    """Return slope * t + intercept + amplitude * sin(frequency * t + phase) as an ONNX model."""
    sheet = Sheet()
    parts = ["slope", "intercept", "amplitude", "frequency", "phase"]
    sheet.add("Split", "code", into=parts, axis=1, num_outputs=5)
    sheet.add("Mul", "slope", "times", into="rising")
    sheet.add("Mul", "frequency", "times", into="turning")
    sheet.add("Add", "turning", "phase", into="angle")
    sheet.add("Sin", "angle", into="wave")
    sheet.add("Mul", "wave", "amplitude", into="swing")
    sheet.add("Add", "rising", "intercept", into="straight")
    sheet.add("Add", "straight", "swing", into="line")
    sheet.keep(TIMES[None], "times")
    return sheet.written("decoder", Table("code", ["rows", 5]), Table("line", ["rows", 64]))


def practice_disc() -> bytes:
    """Return a disc whose radius and brightness follow two dials, on the inverse ground, as an ONNX model."""
    sheet = Sheet()
    rows, columns = np.mgrid[0:EDGE, 0:EDGE]
    distances = np.sqrt((rows - 31.0) ** 2 + (columns - 31.0) ** 2).reshape(1, -1)
    sheet.add("Split", "code", into=("size", "shade"), axis=1, num_outputs=2)
    sheet.add("Mul", "size", "reach", into="grown")
    sheet.add("Add", "grown", "least", into="radius")
    sheet.add("Less", "distances", "radius", into="inside")
    sheet.add("Sub", "one", "shade", into="bright")
    sheet.add("Where", "inside", "bright", "shade", into="picture")
    sheet.keep(distances, "distances")
    for name, value in (("reach", 24.0), ("least", 4.0), ("one", 1.0)):
        sheet.keep(np.full((1, 1), value), name)
    return sheet.written("decoder", Table("code", ["rows", 2]), Table("picture", ["rows", EDGE * EDGE]))


def practice_shape() -> bytes:
    """Return a white disc, square or triangle, by a choice of three, whose size follows a dial, as an ONNX model."""
    sheet = Sheet()
    sheet.add("Split", "code", "parts", into=("shape", "size"), axis=1)
    sheet.add("MatMul", "shape", "outlines", into="distances")
    sheet.add("Mul", "size", "reach", into="grown")
    sheet.add("Add", "grown", "least", into="radius")
    sheet.add("Less", "distances", "radius", into="inside")
    sheet.add("Cast", "inside", into="picture", to=sheet.onnx.TensorProto.FLOAT)
    sheet.keep(_outlines(), "outlines")
    for name, value in (("reach", 14.0), ("least", 6.0)):
        sheet.keep(np.full((1, 1), value), name)
    sheet.keep(np.array([3, 1], dtype=np.int64), "parts")
    return sheet.written("decoder", Table("code", ["rows", 4]), Table("picture", ["rows", EDGE * EDGE]))


def _outlines() -> Floats:
    """Return how large a disc, a square and a triangle must be to reach each pixel, all of much the same area."""
    rows, columns = np.mgrid[0:EDGE, 0:EDGE] - 31.0
    disc = np.sqrt(rows**2 + columns**2)
    square = np.maximum(np.abs(rows), np.abs(columns)) * 1.12
    triangle = np.maximum(rows * 1.3, np.abs(columns) * 1.126 - rows * 0.65)
    return np.stack([one.reshape(-1) for one in (disc, square, triangle)])
