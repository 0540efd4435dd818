"""Packing: rows of numbers as short text, exact to 32 bits, for pages and logs."""

import base64

import numpy as np

from understudy.roles import Floats


def text_from_floats(values: Floats) -> str:
    """Write numbers as base64 of little-endian 32-bit floats."""
    return base64.b64encode(np.asarray(values, dtype="<f4").tobytes()).decode()


def floats_from_text(text: str) -> Floats:
    """Read what `text_from_floats` wrote."""
    return np.frombuffer(base64.b64decode(text), dtype="<f4").astype(np.float64)
