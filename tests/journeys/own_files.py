"""Decoders as strangers bring them: ONNX files written with onnx alone, sound and broken."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="writing a model needs onnx")

EDGE = 16
DIALS: list[dict[str, Any]] = [
    {"kind": "discrete", "options": ["disc", "square", "bar"]}, {"kind": "discrete", "options": ["night", "day"]},
    *[{"low": -3.0, "high": 3.0}] * 8,
]  # fmt: skip
N_INPUTS = 3 + 2 + 8


def scene_weights() -> Any:
    """A form to choose, a sky to choose, and eight lamps that a dial each makes brighter or darker."""
    y, x = np.mgrid[0:EDGE, 0:EDGE] / (EDGE - 1.0) - 0.5
    forms = [x**2 + y**2 < 0.1, (np.abs(x) < 0.3) & (np.abs(y) < 0.3), np.abs(x) < 0.12]
    places = [(0.35 * np.cos(turn), 0.35 * np.sin(turn)) for turn in np.arange(8) * np.pi / 4]
    lamps = [np.exp(-((x - across) ** 2 + (y - down) ** 2) / 0.02) for across, down in places]
    skies = [np.zeros_like(x), np.full_like(x, 1.5)]
    rows = [*(4.0 * form for form in forms), *skies, *lamps]
    return np.stack([row.ravel() for row in rows]).astype(np.float32)


def write_net(path: Path, *, n_inputs: int = N_INPUTS, ends_in: str = "Sigmoid") -> None:
    """Write the scene, or one that takes other codes or has no numbers in places."""
    helper, kind = onnx.helper, onnx.TensorProto.FLOAT
    weights = np.resize(scene_weights(), (n_inputs, EDGE * EDGE)).astype(np.float32)
    bias = np.full(EDGE * EDGE, -3, dtype=np.float32)
    graph = helper.make_graph(
        [helper.make_node("Gemm", ["code", "weights", "bias"], ["sum"]), helper.make_node(ends_in, ["sum"], ["shown"])],
        "scene",
        [helper.make_tensor_value_info("code", kind, ["rows", n_inputs])],
        [helper.make_tensor_value_info("shown", kind, ["rows", EDGE * EDGE])],
        [onnx.numpy_helper.from_array(weights, "weights"), onnx.numpy_helper.from_array(bias, "bias")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    path.write_bytes(model.SerializeToString())


def write_large(path: Path) -> None:
    """Write 200 MB, whatever they hold."""
    with path.open("wb") as file:
        file.truncate(200 * 2**20)


def write_something_else(path: Path) -> None:
    """Write what is no model at all."""
    path.write_bytes(b"a picture of a cat")
