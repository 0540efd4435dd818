"""The dense decoder: layers of given weights with one activation between them, as an ONNX model."""

from collections.abc import Sequence

from understudy.inference.onnx_builder import GraphBuilder, TensorSpec
from understudy.sources.arrays import Floats

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
