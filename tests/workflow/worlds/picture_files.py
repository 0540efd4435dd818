"""ONNX files over pictures, good and bad."""

from pathlib import Path

import numpy as np
import pytest


def write_reddener(
    path: Path, size: tuple[int | str, int | str, int | str] = (3, 16, 16), *, ends: str = "logits", scale: float = 20.0
) -> Path:
    """Write a model whose evidence for the second label is how red the mean of a picture is."""
    onnx = pytest.importorskip("onnx")
    helper, kind = onnx.helper, onnx.TensorProto.FLOAT
    n_channels = size[0] if isinstance(size[0], int) else 3
    weights = np.zeros((n_channels, 2), np.float32)
    weights[0] = (-scale / 2, scale / 2)
    weights[-1] -= weights[0] if n_channels > 1 else 0
    nodes = [
        helper.make_node("GlobalAveragePool", ["pictures"], ["pooled"]),
        helper.make_node("Flatten", ["pooled"], ["means"]),
        helper.make_node("MatMul", ["means", "w"], ["logits"]),
        *([helper.make_node("Softmax", ["logits"], ["probabilities"], axis=1)] if ends == "probabilities" else []),
    ]
    graph = helper.make_graph(
        nodes,
        "reddener",
        [helper.make_tensor_value_info("pictures", kind, ["n", *size])],
        [helper.make_tensor_value_info(ends, kind, ["n", 2])],
        [onnx.numpy_helper.from_array(weights, "w")],
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    path.write_bytes(made.SerializeToString())
    return path


def write_table_model(path: Path) -> Path:
    """Write a model of tables, which takes no pictures."""
    onnx = pytest.importorskip("onnx")
    helper, kind = onnx.helper, onnx.TensorProto.FLOAT
    graph = helper.make_graph(
        [helper.make_node("Softmax", ["rows"], ["shown"], axis=1)],
        "table",
        [helper.make_tensor_value_info("rows", kind, ["n", 2])],
        [helper.make_tensor_value_info("shown", kind, ["n", 2])],
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    path.write_bytes(made.SerializeToString())
    return path
