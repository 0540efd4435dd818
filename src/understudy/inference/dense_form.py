"""The dense decoder: layers of weights with one bend between them, as an ONNX model."""

from collections.abc import Sequence

from understudy.inference.onnx_builder import Sheet, Table
from understudy.sources.arrays import Floats

BENDS = {"identity": "Identity", "relu": "Relu", "tanh": "Tanh", "logistic": "Sigmoid"}
"""What scikit-learn calls an activation -> what ONNX calls it."""


def onnx_from_dense(weights: Sequence[Floats], offsets: Sequence[Floats], bend: str) -> bytes:
    """Write layer after layer, each bent but the last; a weight has one row for each number that it takes."""
    sheet, last = Sheet(), "code"
    for place, (weight, offset) in enumerate(zip(weights, offsets, strict=True)):
        kept = sheet.keep(weight, f"weight_{place}"), sheet.keep(offset, f"offset_{place}")
        is_end = place == len(weights) - 1
        last = sheet.add("Gemm", last, *kept, into="shown" if is_end else f"sum_{place}")
        if not is_end:
            last = sheet.add(BENDS[bend], last, into=f"bent_{place}")
    n_inputs, n_outputs = weights[0].shape[0], weights[-1].shape[1]
    return sheet.written("decoder", Table("code", ["rows", n_inputs]), Table("shown", ["rows", n_outputs]))
