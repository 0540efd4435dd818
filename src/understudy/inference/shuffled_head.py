"""Shuffled head: the same network with the weights of its last layer in another order, for the randomisation check."""

from typing import Any

import numpy as np

from understudy.errors import MaterialsError
from understudy.extras import optional


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
