"""Linear head: finds, in the graph of an ONNX file, a linear layer over the average of feature maps."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from understudy.extras import optional
from understudy.inference.onnx_session import session_from_bytes
from understudy.roles import Floats

_AFTER_HEAD = frozenset({"Softmax", "LogSoftmax", "Identity", "Cast", "Flatten", "Reshape", "Squeeze"})
_BEFORE_HEAD = frozenset({"Identity", "Cast", "Dropout", "Flatten", "Reshape", "Squeeze"})
_PLACES = ((2, 3), (-2, -1))


class LinearHead(NamedTuple):
    """The last layer of a network, and what it takes the average of."""

    features: str
    """The tensor with the feature maps, (n, channels, rows, columns)."""
    weights: Floats
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


def _weights(graph: _Graph, node: Any) -> Floats | None:
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
