"""Packing: rows of numbers as short text, for pages and logs."""

import base64
import zlib
from typing import Literal, TypeAlias

import numpy as np

from understudy.roles import Floats
from understudy.schema import DecoderCard

Packing: TypeAlias = Literal["f32", "zlib-u8"]
"""f32: exact to 32 bits; zlib-u8: 256 steps between the limits, compressed, which is all that a grey picture shows."""


def text_from_floats(values: Floats) -> str:
    """Write numbers as base64 of little-endian 32-bit floats."""
    return base64.b64encode(np.asarray(values, dtype="<f4").tobytes()).decode()


def floats_from_text(text: str) -> Floats:
    """Read what `text_from_floats` wrote."""
    return np.frombuffer(base64.b64decode(text), dtype="<f4").astype(np.float64)


def packing_of(card: DecoderCard) -> Packing:
    """Return how the outputs of a decoder are packed for display."""
    return "zlib-u8" if card.view == "image" else "f32"


def text_from_outputs(outputs: Floats, card: DecoderCard) -> str:
    """Write outputs for display, one row after the other."""
    if packing_of(card) == "f32":
        return text_from_floats(outputs)
    low, high = card.limits
    steps = np.round(np.clip((np.asarray(outputs) - low) / (high - low), 0, 1) * 255).astype(np.uint8)
    return base64.b64encode(zlib.compress(steps.tobytes(), 9)).decode()


def outputs_from_text(text: str, packing: Packing, *, n_outputs: int, limits: tuple[float, float]) -> Floats:
    """Read what `text_from_outputs` wrote, one row for each output."""
    if packing == "f32":
        return floats_from_text(text).reshape(-1, n_outputs)
    low, high = limits
    steps = np.frombuffer(zlib.decompress(base64.b64decode(text)), dtype=np.uint8)
    return (low + steps.astype(np.float64) / 255 * (high - low)).reshape(-1, n_outputs)
