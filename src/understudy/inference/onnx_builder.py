"""A small ONNX writer for closed forms: models whose nodes and constants are known without training.

Torch nets are exported by torch itself (`understudy.training.export`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from understudy.extras import optional

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
