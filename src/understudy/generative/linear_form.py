"""The linear decoder: a matrix and an offset as an ONNX model."""

import numpy as np

from understudy.extras import optional
from understudy.generative.arrays import Floats
from understudy.generative.closed_forms import written_model


def onnx_from_matrix(matrix: Floats, offset: Floats) -> bytes:
    """Write code @ matrix + offset; the matrix has one row for each number of a code."""
    onnx = optional("onnx", extra="torch")
    nodes = [onnx.helper.make_node("Gemm", ["code", "matrix", "offset"], ["shown"])]
    n_inputs, n_outputs = matrix.shape
    constants = {"matrix": matrix, "offset": np.asarray(offset)}
    return written_model(onnx, nodes, constants, n_inputs=n_inputs, n_outputs=n_outputs, output="shown")
