"""ONNX graphs made by hand: dense and linear forms, shuffled heads, and smaller weights."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from understudy.errors import MaterialsError, optional
from understudy.inference.onnx_models import session_from_bytes
from understudy.roles import Floats as roles_Floats
from understudy.statistics.arrays import Floats

# A small ONNX writer for closed forms: models whose nodes and constants are known without training.
#
# Torch nets are exported by torch itself (`understudy.training.export`).

OPSET = 18
IR_VERSION = 9


class TensorSpec(NamedTuple):
    """The name and shape of an input or output; a word in the shape means any number."""

    name: str
    shape: Sequence[int | str]


@dataclass(frozen=True)
class GraphBuilder:
    """Nodes and constants, in the order in which they were added."""

    nodes: list[Any] = field(default_factory=list)
    constants: list[Any] = field(default_factory=list)
    onnx: Any = field(default_factory=lambda: optional("onnx", extra="torch"))

    def add(self, operator: str, *inputs: str, into: str | Sequence[str], **attributes: Any) -> str:
        """Append a node and return the name of its first output."""
        outputs = [into] if isinstance(into, str) else [*into]
        self.nodes.append(self.onnx.helper.make_node(operator, list(inputs), outputs, **attributes))
        return outputs[0]

    def constant(self, name: str, values: npt.ArrayLike) -> str:
        """Store an array and return its name; fractions are stored in 32 bits."""
        array = np.array(values, order="C")
        stored = array.astype(np.float32) if np.issubdtype(array.dtype, np.floating) else array
        self.constants.append(self.onnx.numpy_helper.from_array(stored, name))
        return name

    def to_bytes(
        self, graph_name: str, *, model_input: TensorSpec, model_output: TensorSpec, further: Sequence[TensorSpec] = ()
    ) -> bytes:
        """Return the file of a model from its input to its output, and to further outputs."""
        helper, float32 = self.onnx.helper, self.onnx.TensorProto.FLOAT
        ends = [
            helper.make_tensor_value_info(spec.name, float32, list(spec.shape))
            for spec in (model_input, model_output, *further)
        ]
        graph = helper.make_graph(self.nodes, graph_name, ends[:1], ends[1:], self.constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION)
        self.onnx.checker.check_model(model)
        content: bytes = model.SerializeToString()
        return content


ACTIVATIONS = {"identity": "Identity", "relu": "Relu", "tanh": "Tanh", "logistic": "Sigmoid"}
"""What scikit-learn calls an activation -> what ONNX calls it."""


def onnx_from_dense(weights: Sequence[Floats], offsets: Sequence[Floats], activation: str) -> bytes:
    """Write layer after layer, each but the last activated; a weight has one row for each number that it takes."""
    graph, last = GraphBuilder(), "code"
    for layer, (weight, offset) in enumerate(zip(weights, offsets, strict=True)):
        constants = graph.constant(f"weight_{layer}", weight), graph.constant(f"offset_{layer}", offset)
        is_end = layer == len(weights) - 1
        last = graph.add("Gemm", last, *constants, into="shown" if is_end else f"sum_{layer}")
        if not is_end:
            last = graph.add(ACTIVATIONS[activation], last, into=f"activated_{layer}")
    n_inputs, n_outputs = weights[0].shape[0], weights[-1].shape[1]
    return graph.to_bytes(
        "decoder",
        model_input=TensorSpec("code", ["rows", n_inputs]),
        model_output=TensorSpec("shown", ["rows", n_outputs]),
    )


# The linear decoder: a matrix and an offset as an ONNX model.


def onnx_from_matrix(matrix: Floats, offset: Floats) -> bytes:
    """Write code @ matrix + offset; the matrix has one row for each number of a code."""
    graph = GraphBuilder()
    graph.add("Gemm", "code", graph.constant("matrix", matrix), graph.constant("offset", offset), into="shown")
    n_inputs, n_outputs = matrix.shape
    return graph.to_bytes(
        "decoder",
        model_input=TensorSpec("code", ["rows", n_inputs]),
        model_output=TensorSpec("shown", ["rows", n_outputs]),
    )


# Linear head: finds, in the graph of an ONNX file, a linear layer over the average of feature maps.

_AFTER_HEAD = frozenset({"Softmax", "LogSoftmax", "Identity", "Cast", "Flatten", "Reshape", "Squeeze"})
_BEFORE_HEAD = frozenset({"Identity", "Cast", "Dropout", "Flatten", "Reshape", "Squeeze"})
_PLACES = ((2, 3), (-2, -1))


class LinearHead(NamedTuple):
    """The last layer of a network, and what it takes the average of."""

    features: str
    """The tensor with the feature maps, (n, channels, rows, columns)."""
    weights: roles_Floats
    """As (outputs, channels)."""


class _Graph(NamedTuple):
    makers: Mapping[str, Any]
    """The node that makes each tensor."""
    constants: Mapping[str, Any]
    """Tensors that do not depend on the input."""

    def behind(self, tensor: str, passed: frozenset[str]) -> Any:
        """Return the node that makes a tensor, past those that only give it another form."""
        node = self.makers.get(tensor)
        while node is not None and node.op_type in passed:
            node = self.makers.get(node.input[0])
        return node


def linear_head(model: Any, output: str) -> LinearHead | None:
    """Return the head that leads to an output of a loaded ONNX file, or None where there is no linear one."""
    graph = _graph(model.graph)
    node = graph.behind(output, _AFTER_HEAD)
    if node is not None and node.op_type == "Add":
        # A bias does not change which places count.
        moving = [name for name in node.input if name not in graph.constants]
        node = graph.behind(moving[0], _AFTER_HEAD) if len(moving) == 1 else None
    weights = None if node is None else _weights(graph, node)
    pool = None if weights is None else graph.behind(node.input[0], _BEFORE_HEAD)
    if weights is None or pool is None or not _is_global_average(graph, pool):
        return None
    return LinearHead(pool.input[0], weights)


def with_features(model: Any, head: LinearHead) -> bytes:
    """Return the file with the feature maps as one more output."""
    onnx = optional("onnx", extra="torch")
    opened = onnx.ModelProto()
    opened.CopyFrom(model)
    if head.features not in {tensor.name for tensor in opened.graph.output}:
        opened.graph.output.append(onnx.helper.make_empty_tensor_value_info(head.features))
    written: bytes = opened.SerializeToString()
    return written


def loaded(path: Path) -> Any:
    """Read an ONNX file, once it was tried: weights in a second file would be looked for in the working folder."""
    onnx = optional("onnx", extra="torch")
    content = path.read_bytes()
    session_from_bytes(content, what=str(path))
    return onnx.load_model_from_string(content)


def _graph(graph: Any) -> _Graph:
    onnx = optional("onnx", extra="torch")
    constants = {tensor.name: onnx.numpy_helper.to_array(tensor) for tensor in graph.initializer}
    for node in graph.node:
        if node.op_type == "Constant":
            (value,) = _attributes(node).values()
            constants[node.output[0]] = onnx.numpy_helper.to_array(value) if hasattr(value, "dims") else value
    return _Graph({name: node for node in graph.node for name in node.output}, constants)


def _attributes(node: Any) -> dict[str, Any]:
    onnx = optional("onnx", extra="torch")
    return {attribute.name: onnx.helper.get_attribute_value(attribute) for attribute in node.attribute}


def _weights(graph: _Graph, node: Any) -> roles_Floats | None:
    """Return the weights of a linear layer, as (outputs, channels); None for any other node."""
    if node.op_type not in ("Gemm", "MatMul", "Conv") or node.input[1] not in graph.constants:
        return None
    found = np.asarray(graph.constants[node.input[1]], dtype=np.float64)
    options = _attributes(node)
    if node.op_type == "Conv":
        # After the average there is one place only, so that a convolution of one pixel is a linear layer.
        is_linear = found.ndim == 4 and found.shape[2:] == (1, 1) and options.get("group", 1) == 1
        return found[:, :, 0, 0] if is_linear else None
    if found.ndim != 2 or options.get("transA", 0):
        return None
    outputs_first = found if node.op_type == "Gemm" and options.get("transB", 0) else found.T
    return np.asarray(float(options.get("alpha", 1.0)) * outputs_first)


def _is_global_average(graph: _Graph, node: Any) -> bool:
    if node.op_type == "GlobalAveragePool":
        return True
    if node.op_type != "ReduceMean":
        return False
    axes = _attributes(node).get("axes")
    if axes is None and len(node.input) > 1:
        axes = graph.constants.get(node.input[1])
    return axes is not None and tuple(sorted(int(axis) for axis in axes)) in _PLACES


# Quantization: the large weights of any ONNX model stored in 16 or 8 bits, and widened again when it runs.

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


# Shuffled head: the same network with the weights of its last layer in another order, for the randomisation check.


def with_shuffled_head(content: bytes, rng: np.random.Generator, *, output: str = "maps") -> bytes:
    """Return an ONNX file whose last weights before an output are shuffled among all their places.

    An explanation that stays the same does not depend on what the network learned (Adebayo et al., 2018).
    """
    onnx = optional("onnx", extra="torch")
    model = onnx.load_model_from_string(content)
    graph = model.graph
    weights = {tensor.name: tensor for tensor in graph.initializer if len(tensor.dims) >= 2 and tensor.data_type == 1}
    name = _nearest(graph, weights, output)
    values = onnx.numpy_helper.to_array(weights[name])
    shuffled = rng.permutation(values.ravel()).reshape(values.shape)
    weights[name].CopyFrom(onnx.numpy_helper.from_array(shuffled, name))
    written: bytes = model.SerializeToString()
    return written


def _nearest(graph: Any, weights: dict[str, Any], output: str) -> str:
    """Return the name of the weights that are the fewest nodes away from an output."""
    maker = {name: node for node in graph.node for name in node.output}
    # Breadth first, so that the last layer is found before those below it.
    waiting, seen = [output], {output}
    while waiting:
        node = maker.get(waiting.pop(0))
        names: list[str] = list(node.input) if node is not None else []
        found = next((name for name in names if name in weights), None)
        if found is not None:
            return found
        waiting += [name for name in names if name not in seen]
        seen.update(names)
    raise MaterialsError(
        f"No layer with weights leads to the output {output!r}, so nothing can be shuffled. Name an output of the network."
    )
