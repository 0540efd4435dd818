"""Coarse maps: a map of every pixel, averaged into as many cells as a page needs."""

import numpy as np
from PIL import Image

from understudy.roles import Floats


def coarsened(pixels: Floats, most: int) -> Floats:
    """Return a map with at most so many cells along its longer side, each the mean of its pixels."""
    height, width = pixels.shape
    longer = max(height, width)
    if longer <= most:
        return pixels
    size = (max(1, round(width * most / longer)), max(1, round(height * most / longer)))
    image = Image.fromarray(np.asarray(pixels, dtype=np.float32))
    return np.asarray(image.resize(size, Image.Resampling.BOX), dtype=np.float64)
