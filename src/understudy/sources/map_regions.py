"""Map regions: the part of a picture where a coarse map is high, as one rectangle."""

import numpy as np
import numpy.typing as npt
from PIL import Image

from understudy.deferred.scipy import ndimage
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
    top, bottom = _span(np.asarray(is_high.any(axis=1)), height // coarse.shape[0] if box == "peak" else 1)
    left, right = _span(np.asarray(is_high.any(axis=0)), width // coarse.shape[1] if box == "peak" else 1)
    return Region(
        left=round(left / width, _N_DIGITS),
        top=round(top / height, _N_DIGITS),
        width=round((right - left) / width, _N_DIGITS),
        height=round((bottom - top) / height, _N_DIGITS),
    )


def _span(is_inside: npt.NDArray[np.bool_], least: int) -> tuple[int, int]:
    """Return where the marked pixels begin and end; a shorter span is widened, so that a peak at the edge can be seen."""
    found = np.flatnonzero(is_inside)
    begin, end = int(found[0]), int(found[-1]) + 1
    begin = max(0, min(begin, (begin + end - least) // 2, len(is_inside) - least))
    return begin, max(end, begin + least)
