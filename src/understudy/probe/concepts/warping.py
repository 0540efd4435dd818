"""Rotate and resize batches of pictures about their centre."""

import numpy as np

from understudy.roles import Floats, Objects

CHUNK = 4096
"""Pictures processed at once, to bound memory."""


def warped(pictures: Objects, *, degrees: Floats, scales: Floats) -> Objects:
    """Return each picture rotated by its angle and resized by its scale, with zeros outside."""
    result = np.empty_like(pictures)
    for start in range(0, len(pictures), CHUNK):
        part = slice(start, start + CHUNK)
        result[part] = _warped(pictures[part], np.deg2rad(degrees[part]), scales[part])
    return result


def _warped(pictures: Objects, radians: Floats, scales: Floats) -> Objects:
    n, height, width = pictures.shape
    rows, columns = np.meshgrid(np.arange(height) - (height - 1) / 2, np.arange(width) - (width - 1) / 2, indexing="ij")
    sine, cosine = (f(radians)[:, None, None] / scales[:, None, None] for f in (np.sin, np.cos))
    # Inverse mapping with bilinear interpolation: each output pixel looks up where it came from.
    from_rows = cosine * rows - sine * columns + (height - 1) / 2
    from_columns = sine * rows + cosine * columns + (width - 1) / 2
    padded = np.pad(pictures, ((0, 0), (1, 2), (1, 2)))
    top, left = np.floor(from_rows), np.floor(from_columns)
    below = (from_rows - top).astype(np.float32)
    right = (from_columns - left).astype(np.float32)
    # One empty line of padding represents everything outside the picture.
    r = np.clip(top, -1, height).astype(np.int64) + 1
    c = np.clip(left, -1, width).astype(np.int64) + 1
    k = np.arange(n)[:, None, None]
    mixed: Objects = (
        padded[k, r, c] * (1 - below) * (1 - right)
        + padded[k, r + 1, c] * below * (1 - right)
        + padded[k, r, c + 1] * (1 - below) * right
        + padded[k, r + 1, c + 1] * below * right
    )
    is_far = (top < -1) | (top > height) | (left < -1) | (left > width)
    mixed[is_far] = 0
    return mixed
