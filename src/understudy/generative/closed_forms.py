"""Decoders known in closed form, written as ONNX: the truth of the Sinelines, and the pictures that practice uses."""

from typing import Any

import numpy as np
import numpy.typing as npt

from understudy.extras import optional
from understudy.generative.arrays import Floats
from understudy.generative.sinelines import TIMES

EDGE = 64
"""Rows and columns of the practice picture."""


def sinelines_truth() -> bytes:
    """Return slope * t + intercept + amplitude * sin(frequency * t + phase) as an ONNX model."""
    onnx = optional("onnx", extra="torch")
    helper: Any = onnx.helper
    parts = ["slope", "intercept", "amplitude", "frequency", "phase"]
    nodes = [
        helper.make_node("Split", ["code"], parts, axis=1, num_outputs=5),
        helper.make_node("Mul", ["slope", "times"], ["rising"]),
        helper.make_node("Mul", ["frequency", "times"], ["turning"]),
        helper.make_node("Add", ["turning", "phase"], ["angle"]),
        helper.make_node("Sin", ["angle"], ["wave"]),
        helper.make_node("Mul", ["wave", "amplitude"], ["swing"]),
        helper.make_node("Add", ["rising", "intercept"], ["straight"]),
        helper.make_node("Add", ["straight", "swing"], ["line"]),
    ]
    return written_model(onnx, nodes, {"times": TIMES[None]}, n_inputs=5, n_outputs=64, output="line")


def practice_disc() -> bytes:
    """Return a disc whose radius and brightness follow two dials, on the inverse ground, as an ONNX model."""
    onnx = optional("onnx", extra="torch")
    helper: Any = onnx.helper
    rows, columns = np.mgrid[0:EDGE, 0:EDGE]
    distances = np.sqrt((rows - 31.0) ** 2 + (columns - 31.0) ** 2).reshape(1, -1)
    nodes = [
        helper.make_node("Split", ["code"], ["size", "shade"], axis=1, num_outputs=2),
        helper.make_node("Mul", ["size", "reach"], ["grown"]),
        helper.make_node("Add", ["grown", "least"], ["radius"]),
        helper.make_node("Less", ["distances", "radius"], ["inside"]),
        helper.make_node("Sub", ["one", "shade"], ["bright"]),
        helper.make_node("Where", ["inside", "bright", "shade"], ["picture"]),
    ]
    constants = {"distances": distances, "reach": np.full((1, 1), 24.0), "least": np.full((1, 1), 4.0)}
    return written_model(
        onnx, nodes, {**constants, "one": np.ones((1, 1))}, n_inputs=2, n_outputs=EDGE * EDGE, output="picture"
    )


def practice_shape() -> bytes:
    """Return a white disc, square or triangle, by a choice of three, whose size follows a dial, as an ONNX model."""
    onnx = optional("onnx", extra="torch")
    helper: Any = onnx.helper
    nodes = [
        helper.make_node("Split", ["code", "parts"], ["shape", "size"], axis=1),
        helper.make_node("MatMul", ["shape", "outlines"], ["distances"]),
        helper.make_node("Mul", ["size", "reach"], ["grown"]),
        helper.make_node("Add", ["grown", "least"], ["radius"]),
        helper.make_node("Less", ["distances", "radius"], ["inside"]),
        helper.make_node("Cast", ["inside"], ["picture"], to=onnx.TensorProto.FLOAT),
    ]
    constants = {"outlines": _outlines(), "reach": np.full((1, 1), 14.0), "least": np.full((1, 1), 6.0)}
    return written_model(
        onnx, nodes, constants, n_inputs=4, n_outputs=EDGE * EDGE, output="picture", parts=np.array([3, 1])
    )  # fmt: skip


def _outlines() -> Floats:
    """Return how large a disc, a square and a triangle must be to reach each pixel, all of much the same area."""
    rows, columns = np.mgrid[0:EDGE, 0:EDGE] - 31.0
    disc = np.sqrt(rows**2 + columns**2)
    square = np.maximum(np.abs(rows), np.abs(columns)) * 1.12
    triangle = np.maximum(rows * 1.3, np.abs(columns) * 1.126 - rows * 0.65)
    return np.stack([one.reshape(-1) for one in (disc, square, triangle)])


def written_model(
    onnx: Any,
    nodes: list[Any],
    constants: dict[str, Floats],
    *,
    n_inputs: int,
    n_outputs: int,
    output: str,
    parts: npt.NDArray[np.int64] | None = None,
) -> bytes:
    """Put nodes and constants together as a model from `code` to a flat output."""
    helper = onnx.helper
    code = helper.make_tensor_value_info("code", onnx.TensorProto.FLOAT, ["rows", n_inputs])
    shown = helper.make_tensor_value_info(output, onnx.TensorProto.FLOAT, ["rows", n_outputs])
    held = [onnx.numpy_helper.from_array(value.astype(np.float32), name) for name, value in constants.items()]
    if parts is not None:
        held.append(onnx.numpy_helper.from_array(parts.astype(np.int64), "parts"))
    graph = helper.make_graph(nodes, "decoder", [code], [shown], held)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    onnx.checker.check_model(model)
    content: bytes = model.SerializeToString()
    return content
