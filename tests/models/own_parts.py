"""Models that somebody might bring, good and bad; here, since a pickled function must be importable."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from understudy.roles import Floats


def even_odds(rows: Floats) -> Floats:
    """Return one half for both classes."""
    return np.full((len(rows), 2), 0.5)


def logit_like(rows: Floats) -> Floats:
    """Return evidence that is no probability."""
    return np.tile([-4.0, 3.0], (len(rows), 1))


def spoiled(rows: Floats) -> Floats:
    """Return probabilities, one of which is missing."""
    made = even_odds(rows)
    made[2, 1] = np.nan
    return made


def one_number(rows: Floats) -> Floats:
    """Return the probability of one class only."""
    return np.full((len(rows), 1), 1.0)


class Forgetful:
    """A model that fails whatever it is asked."""

    def predict_proba(self, rows: Any) -> Any:
        """Fail."""
        raise RuntimeError("the past is gone")


class FrameReader:
    """A model of a table, which minds the types of its columns."""

    def predict_proba(self, rows: pd.DataFrame) -> Floats:
        """Return probabilities from numbers, flags, words and gaps."""
        evidence = (
            rows["age"] / 100 + rows["score"].fillna(9) / 20 + rows["member"] * 0.2 + (rows["town"] == "Ulm") * 0.1
        )
        return np.column_stack([1 - evidence / 2, evidence / 2])


def write_onnx(path: Path, *, n_inputs: int) -> None:
    """Write a small linear classifier."""
    onnx = pytest.importorskip("onnx")
    helper, kind = onnx.helper, onnx.TensorProto.FLOAT
    weights = np.random.default_rng(1).normal(size=(n_inputs, 2)).astype(np.float32)
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["rows", "w"], ["sums"]), helper.make_node("Softmax", ["sums"], ["shown"], axis=1)],
        "mine",
        [helper.make_tensor_value_info("rows", kind, ["n", n_inputs])],
        [helper.make_tensor_value_info("shown", kind, ["n", 2])],
        [onnx.numpy_helper.from_array(weights, "w")],
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    path.write_bytes(made.SerializeToString())
