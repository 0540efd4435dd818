"""Map regions: the part of a picture where a coarse map is high, as one rectangle."""

import numpy as np
from PIL import Image
from scipy import ndimage

from understudy.schema import BoxRule, Region
from understudy.sources.arrays import Floats

PERCENTILE = 95.0
"""The pixels that ProtoPNet draws its box around (Chen et al., 2019)."""
_N_DIGITS = 6


def enlarged_map(coarse: Floats, height: int, width: int) -> Floats:
    """Return a map bicubically enlarged to a number of pixels, in its own units."""
    image = Image.fromarray(np.asarray(coarse, dtype=np.float32))
    return np.asarray(image.resize((width, height), Image.Resampling.BICUBIC), dtype=np.float64)


def region_of_map(coarse: Floats, height: int, width: int, *, box: BoxRule = "all") -> Region:
    """Return the smallest rectangle around the highest pixels of the enlarged map."""
    pixels = enlarged_map(coarse, height, width)
    is_high = pixels >= np.percentile(pixels, PERCENTILE)
    if box == "peak":
        areas, _ = ndimage.label(is_high)
        is_high = areas == areas[np.unravel_index(int(pixels.argmax()), pixels.shape)]
    rows, columns = np.nonzero(is_high)
    top, left = int(rows.min()), int(columns.min())
    return Region(
        left=round(left / width, _N_DIGITS),
        top=round(top / height, _N_DIGITS),
        width=round((int(columns.max()) + 1 - left) / width, _N_DIGITS),
        height=round((int(rows.max()) + 1 - top) / height, _N_DIGITS),
    )
