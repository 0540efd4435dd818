"""ONNX Runtime, imported when a model is first opened."""

from typing import TYPE_CHECKING

from understudy.deferred import Deferred

if TYPE_CHECKING:
    import onnxruntime
else:
    onnxruntime = Deferred("onnxruntime")

__all__ = ["onnxruntime"]
