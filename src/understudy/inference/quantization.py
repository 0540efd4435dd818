"""Quantization: the large weights of any ONNX model stored in 16 or 8 bits, and widened again when it runs."""

from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from understudy.extras import optional

Precision: TypeAlias = Literal["float32", "float16", "int8"]
MIN_SIZE = 1024
"""Smaller constants are not quantized: biases and shapes take little space, and precision matters most there."""


FEW = 1 / 20
"""A weight with a smaller share of all numbers keeps 16 bits where 8 are asked for.

The filters next to a picture are few, and every pixel shows their errors; a large layer averages its own.
"""


class Quantized(NamedTuple):
    """A weight in fewer bits, and the nodes that widen it."""

    constants: list[Any]
    nodes: list[Any]


def quantized(content: bytes, precision: Precision) -> bytes:
    """Return the model with its large weights in fewer bits.

    Weights are widened by a Cast, and those in eight bits multiplied by one scale for each output channel. Runtimes fold
    these plain operators into the weights when they open the file, so the download is small and the speed unchanged; a
    DequantizeLinear would be kept and widen all weights at every call.
    """
    if precision == "float32":
        return content
    onnx = optional("onnx", extra="torch")
    model = onnx.load_model_from_string(content)
    graph = model.graph
    added, constants = [], []
    weights = {initializer.name: onnx.numpy_helper.to_array(initializer) for initializer in graph.initializer}
    n_few = FEW * sum(values.size for values in weights.values())
    for initializer in graph.initializer:
        values = weights[initializer.name]
        if values.dtype != np.float32 or values.ndim < 2 or values.size < MIN_SIZE:
            constants.append(initializer)
            continue
        small = (
            _half(onnx, initializer.name, values)
            if precision == "float16" or values.size < n_few
            else _eighth(onnx, graph, initializer.name, values)
        )
        constants += small.constants
        added += small.nodes
    nodes = [*added, *graph.node]
    del graph.initializer[:], graph.node[:]
    graph.initializer.extend(constants)
    graph.node.extend(nodes)
    onnx.checker.check_model(model)
    written: bytes = model.SerializeToString()
    return written


def _half(onnx: Any, name: str, values: np.ndarray[Any, Any]) -> Quantized:
    constant = onnx.numpy_helper.from_array(values.astype(np.float16), f"{name}_narrow")
    return Quantized([constant], [onnx.helper.make_node("Cast", [constant.name], [name], to=onnx.TensorProto.FLOAT)])


def _eighth(onnx: Any, graph: Any, name: str, values: np.ndarray[Any, Any]) -> Quantized:
    channel = _channel(graph, name, values.ndim)
    others = tuple(axis for axis in range(values.ndim) if axis != channel)
    # One scale per output channel keeps the error of small channels small; never 0, for a channel of zeros.
    scale = (np.maximum(np.abs(values).max(axis=others, keepdims=True), 1e-12) / 127).astype(np.float32)
    narrow = np.clip(np.round(values / scale), -127, 127).astype(np.int8)
    whole, wide, steps = f"{name}_narrow", f"{name}_whole", f"{name}_scale"
    make = onnx.helper.make_node
    return Quantized(
        [onnx.numpy_helper.from_array(narrow, whole), onnx.numpy_helper.from_array(scale, steps)],
        [make("Cast", [whole], [wide], to=onnx.TensorProto.FLOAT), make("Mul", [wide, steps], [name])],
    )


def _channel(graph: Any, name: str, n_axes: int) -> int:
    """Return the axis of the outputs of the layer that uses a weight."""
    for node in graph.node:
        if name in node.input:
            is_transposed = any(attribute.name == "transB" and attribute.i == 1 for attribute in node.attribute)
            if node.op_type in {"Gemm", "MatMul"}:
                return 0 if is_transposed else n_axes - 1
            if node.op_type == "ConvTranspose":
                return 1
    return 0
