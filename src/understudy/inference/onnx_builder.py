"""A sheet: the nodes and constants of an ONNX model, gathered on the way through a net and written at its end."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np

from understudy.extras import optional

OPSET = 18
IR_VERSION = 9


class Table(NamedTuple):
    """What a model takes or shows: its name, kind and shape, in which a word stands for any number."""

    name: str
    shape: Sequence[int | str]
    kind: Literal["FLOAT", "INT64"] = "FLOAT"


@dataclass(frozen=True)
class Sheet:
    """Nodes and constants, in the order in which they were added."""

    nodes: list[Any] = field(default_factory=list)
    constants: list[Any] = field(default_factory=list)
    onnx: Any = field(default_factory=lambda: optional("onnx", extra="torch"))

    def add(self, kind: str, *inputs: str, into: str | Sequence[str] = (), **attributes: Any) -> str:
        """Append a node and return the name of its first output."""
        outputs = [into] if isinstance(into, str) else [*into] or [f"{kind.lower()}_{len(self.nodes)}"]
        self.nodes.append(self.onnx.helper.make_node(kind, list(inputs), outputs, **attributes))
        return outputs[0]

    def keep(self, values: Any, name: str | None = None) -> str:
        """Store an array, or a tensor of torch, and return its name; fractions are kept in 32 bits."""
        array = np.array(values.detach().numpy() if hasattr(values, "detach") else values, order="C")
        held = name or f"constant_{len(self.constants)}"
        kept = array.astype(np.float32) if np.issubdtype(array.dtype, np.floating) else array
        self.constants.append(self.onnx.numpy_helper.from_array(kept, held))
        return held

    def written(self, name: str, given: Table, *shown: Table) -> bytes:
        """Return the file of a model from what it is given to what it shows."""
        helper = self.onnx.helper
        one, *others = (
            helper.make_tensor_value_info(table.name, getattr(self.onnx.TensorProto, table.kind), list(table.shape))
            for table in (given, *shown)
        )
        graph = helper.make_graph(self.nodes, name, [one], others, self.constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION)
        self.onnx.checker.check_model(model)
        content: bytes = model.SerializeToString()
        return content
