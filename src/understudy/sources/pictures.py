"""Pictures: grey values as PNG files, served under the digest of their content."""

import hashlib
import struct
import zlib
from typing import NamedTuple

import numpy as np

from understudy.roles import Floats


class Picture(NamedTuple):
    """A PNG file, and the content address under which it is served."""

    address: str
    content: bytes


def picture_from_values(values: Floats) -> Picture:
    """Write rows and columns of values between 0 and 1 as a grey PNG."""
    grey = np.round(np.clip(values, 0, 1) * 255).astype(np.uint8)
    n_rows, n_columns = grey.shape
    lines = np.column_stack([np.zeros(n_rows, dtype=np.uint8), grey]).tobytes()
    header = struct.pack(">IIBBBBB", n_columns, n_rows, 8, 0, 0, 0, 0)
    parts = [_part(b"IHDR", header), _part(b"IDAT", zlib.compress(lines, 9)), _part(b"IEND", b"")]
    content = b"\x89PNG\r\n\x1a\n" + b"".join(parts)
    return Picture(f"{hashlib.sha256(content).hexdigest()}.png", content)


def _part(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
