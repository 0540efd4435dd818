"""ONNX sessions: open a file on one thread, so that its answers are the same everywhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from understudy.deferred.onnxruntime import onnxruntime
from understudy.errors import MaterialsError

Card = TypeVar("Card")

_MAX_LETTERS = 160


@dataclass(frozen=True)
class OpenedModel(Generic[Card]):
    """An ONNX model that passed its checks."""

    card: Card
    content: bytes
    """The ONNX file."""
    session: onnxruntime.InferenceSession


def session_from_bytes(content: bytes, *, what: str) -> onnxruntime.InferenceSession:
    """Open a file; `what` begins the sentence that refuses one that cannot be run."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    # Its warnings go to standard error past Python; faults are raised anyway.
    options.log_severity_level = 4
    try:
        return onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime's exceptions have no common base class
        raise MaterialsError(
            f"{what} is not an ONNX model that can be run: {reason_of(error)}. Export it again with a standard opset."
        ) from None


def reason_of(error: Exception) -> str:
    """Return the first line of another library's error message, or the kind of error if it has no message."""
    lines = str(error).splitlines()
    # Without its full stop, since it becomes part of a sentence.
    return lines[0][:_MAX_LETTERS].rstrip(". ") if lines else type(error).__name__
