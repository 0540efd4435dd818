"""Pictures as PNG files, written without a picture library: machines that only train need none."""

import struct
import zlib
from pathlib import Path

import numpy as np

from understudy.errors import MaterialsError
from understudy.sources.arrays import Bytes

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_GAP = 8
"""Pixels between the starting pictures and their counterfactuals."""


def png_from_pixels(pixels: Bytes) -> bytes:
    """Return rows of 8-bit RGB pixels as the content of a PNG file."""
    if pixels.ndim != 3 or pixels.shape[2] != 3 or pixels.dtype != np.uint8:
        raise MaterialsError(
            f"The pixels have shape {pixels.shape} and type {pixels.dtype}. Give uint8 values (row, column, 3 channels)."
        )
    height, width, _ = pixels.shape
    # Every line begins with its filter; 0 is none.
    lines = np.hstack([np.zeros((height, 1), np.uint8), pixels.reshape(height, -1)])
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        _SIGNATURE + _chunk(b"IHDR", header) + _chunk(b"IDAT", zlib.compress(lines.tobytes(), 9)) + _chunk(b"IEND", b"")
    )


def write_grid(path: Path, first: Bytes, rows: Bytes, *, zoom: int = 2) -> None:
    """Write a grid: on the left each starting picture, then its row of counterfactuals."""
    left = np.concatenate(list(first), 0)
    right = np.concatenate([np.concatenate(list(row), 1) for row in rows], 0)
    gap = np.full((len(left), _GAP, 3), 255, np.uint8)
    pixels = np.concatenate([left, gap, right], 1)
    path.write_bytes(png_from_pixels(pixels.repeat(zoom, 0).repeat(zoom, 1)))


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
