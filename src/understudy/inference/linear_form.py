"""The linear decoder: a matrix and an offset as an ONNX model."""

from understudy.inference.onnx_builder import GraphBuilder, TensorSpec
from understudy.sources.arrays import Floats


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
