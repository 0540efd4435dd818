"""The dense decoder: layers of weights with one bend between them, as an ONNX model."""

from collections.abc import Sequence

import numpy as np

from understudy.extras import optional
from understudy.generative.arrays import Floats
from understudy.generative.closed_forms import written_model

BENDS = {"identity": "Identity", "relu": "Relu", "tanh": "Tanh", "logistic": "Sigmoid"}
"""What scikit-learn calls an activation -> what ONNX calls it."""


def onnx_from_dense(weights: Sequence[Floats], offsets: Sequence[Floats], bend: str) -> bytes:
    """Write layer after layer, each bent but the last; a weight has one row for each number that it takes."""
    onnx = optional("onnx", extra="torch")
    nodes = []
    constants: dict[str, Floats] = {}
    last = "code"
    for place, (weight, offset) in enumerate(zip(weights, offsets, strict=True)):
        constants |= {f"weight_{place}": np.asarray(weight), f"offset_{place}": np.asarray(offset)}
        names = [last, f"weight_{place}", f"offset_{place}"]
        is_end = place == len(weights) - 1
        last = "shown" if is_end else f"sum_{place}"
        nodes.append(onnx.helper.make_node("Gemm", names, [last]))
        if not is_end:
            nodes.append(onnx.helper.make_node(BENDS[bend], [last], [f"bent_{place}"]))
            last = f"bent_{place}"
    n_inputs, n_outputs = weights[0].shape[0], weights[-1].shape[1]
    return written_model(onnx, nodes, constants, n_inputs=n_inputs, n_outputs=n_outputs, output="shown")
