"""ONNX files: models written node by node, and opened to be run."""

from understudy.onnx_files.running import reason_of, session_from_bytes
from understudy.onnx_files.sheet import Sheet, Table

__all__ = ["Sheet", "Table", "reason_of", "session_from_bytes"]
