"""The linear decoder: a matrix and an offset as an ONNX model."""

from understudy.inference.onnx_builder import Sheet, Table
from understudy.sources.arrays import Floats


def onnx_from_matrix(matrix: Floats, offset: Floats) -> bytes:
    """Write code @ matrix + offset; the matrix has one row for each number of a code."""
    sheet = Sheet()
    sheet.add("Gemm", "code", sheet.keep(matrix, "matrix"), sheet.keep(offset, "offset"), into="shown")
    n_inputs, n_outputs = matrix.shape
    return sheet.written("decoder", Table("code", ["rows", n_inputs]), Table("shown", ["rows", n_outputs]))
