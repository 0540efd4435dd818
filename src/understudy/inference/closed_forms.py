"""Decoders known in closed form, written as ONNX: the truth of the Sinelines, and the pictures that practice uses."""

import numpy as np

from understudy.inference.onnx_builder import GraphBuilder, TensorSpec
from understudy.sources.arrays import Floats
from understudy.sources.sinelines import TIMES

EDGE = 64
"""Rows and columns of the practice picture."""


def sinelines_truth() -> bytes:
    """Return slope * t + intercept + amplitude * sin(frequency * t + phase) as an ONNX model."""
    graph = GraphBuilder()
    parts = ["slope", "intercept", "amplitude", "frequency", "phase"]
    graph.add("Split", "code", into=parts, axis=1, num_outputs=5)
    graph.add("Mul", "slope", "times", into="rising")
    graph.add("Mul", "frequency", "times", into="turning")
    graph.add("Add", "turning", "phase", into="angle")
    graph.add("Sin", "angle", into="wave")
    graph.add("Mul", "wave", "amplitude", into="swing")
    graph.add("Add", "rising", "intercept", into="straight")
    graph.add("Add", "straight", "swing", into="line")
    graph.constant("times", TIMES[None])
    return graph.to_bytes(
        "decoder", model_input=TensorSpec("code", ["rows", 5]), model_output=TensorSpec("line", ["rows", 64])
    )


def practice_disc() -> bytes:
    """Return a disc whose radius and brightness follow two dials, on a background of the opposite brightness, as an ONNX model."""
    graph = GraphBuilder()
    rows, columns = np.mgrid[0:EDGE, 0:EDGE]
    distances = np.sqrt((rows - 31.0) ** 2 + (columns - 31.0) ** 2).reshape(1, -1)
    graph.add("Split", "code", into=("size", "shade"), axis=1, num_outputs=2)
    graph.add("Mul", "size", "reach", into="grown")
    graph.add("Add", "grown", "least", into="radius")
    graph.add("Less", "distances", "radius", into="inside")
    graph.add("Sub", "one", "shade", into="bright")
    graph.add("Where", "inside", "bright", "shade", into="picture")
    graph.constant("distances", distances)
    for name, value in (("reach", 24.0), ("least", 4.0), ("one", 1.0)):
        graph.constant(name, np.full((1, 1), value))
    return graph.to_bytes(
        "decoder",
        model_input=TensorSpec("code", ["rows", 2]),
        model_output=TensorSpec("picture", ["rows", EDGE * EDGE]),
    )


def practice_shape() -> bytes:
    """Return a white disc, square or triangle, by a choice of three, whose size follows a dial, as an ONNX model."""
    graph = GraphBuilder()
    graph.add("Split", "code", "parts", into=("shape", "size"), axis=1)
    graph.add("MatMul", "shape", "outlines", into="distances")
    graph.add("Mul", "size", "reach", into="grown")
    graph.add("Add", "grown", "least", into="radius")
    graph.add("Less", "distances", "radius", into="inside")
    graph.add("Cast", "inside", into="picture", to=graph.onnx.TensorProto.FLOAT)
    graph.constant("outlines", _outlines())
    for name, value in (("reach", 14.0), ("least", 6.0)):
        graph.constant(name, np.full((1, 1), value))
    graph.constant("parts", np.array([3, 1], dtype=np.int64))
    return graph.to_bytes(
        "decoder",
        model_input=TensorSpec("code", ["rows", 4]),
        model_output=TensorSpec("picture", ["rows", EDGE * EDGE]),
    )


def _outlines() -> Floats:
    """Return how large a disc, a square and a triangle must be to reach each pixel, all of much the same area."""
    rows, columns = np.mgrid[0:EDGE, 0:EDGE] - 31.0
    disc = np.sqrt(rows**2 + columns**2)
    square = np.maximum(np.abs(rows), np.abs(columns)) * 1.12
    triangle = np.maximum(rows * 1.3, np.abs(columns) * 1.126 - rows * 0.65)
    return np.stack([outline.reshape(-1) for outline in (disc, square, triangle)])
