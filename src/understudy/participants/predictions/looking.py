"""Looking: how tidy and how strong a map is, and how similar two regions look, from the pictures alone."""

from collections.abc import Mapping
from functools import lru_cache
from io import BytesIO

import numpy as np
from PIL import Image

from understudy.participants.predictions.page import SeenRow
from understudy.roles import Floats
from understudy.schema import Region

EDGE = 12
"""Regions are compared at this many pixels a side, which is about what a glance takes in."""
_TIDY_SHARE = 0.2
_SEEN: dict[tuple[str, ...], float] = {}
"""Pictures and regions -> how similar they look; pictures are named by their content, so this stays true."""


def strength(seen: Floats) -> float:
    """Return the mean of a map; evidence against counts against."""
    return float(seen.mean())


def evidence_for(seen: Floats) -> float:
    """Return the mean of what a map has for its class, without what it has against it."""
    return float(np.maximum(seen, 0).mean())


def tidiness(seen: Floats) -> float:
    """Return the share of positive evidence in the fifth of the map that has most of it; 0.2 is spread evenly."""
    values = np.sort(np.maximum(seen, 0).ravel())[::-1]
    total = float(values.sum())
    return float(values[: max(1, round(_TIDY_SHARE * values.size))].sum()) / total if total > 0 else 0.0


def likeness(row: SeenRow, pictures: Mapping[str, bytes]) -> float:
    """Return how similar the two regions of a row look, from 0 to 1: half by colour, half by pattern."""
    match = row.match
    key = (row.picture.file, _written(match.region), match.source.file, _written(match.source_region))
    if key not in _SEEN:
        own = region_of(pictures[row.picture.file], match.region)
        other = region_of(pictures[match.source.file], match.source_region)
        colour = float(np.exp(-4 * np.abs(own.mean(axis=(0, 1)) - other.mean(axis=(0, 1))).mean()))
        _SEEN[key] = 0.5 * colour + 0.5 * max(0.0, _pattern(own, other))
    return _SEEN[key]


def _pattern(own: Floats, other: Floats) -> float:
    a, b = (grid.mean(axis=2) - grid.mean() for grid in (own, other))
    spread = float(np.sqrt((a * a).sum() * (b * b).sum()))
    # Two plain areas have the same pattern: none.
    return float((a * b).sum()) / spread if spread > 1e-6 else 1.0


def region_of(content: bytes, region: Region) -> Floats:
    """Return a region of a picture as a glance takes it in, as numbers from 0 to 1."""
    pixels = pixels_of(content)
    height, width = pixels.shape[:2]
    top, left = int(region.top * height), int(region.left * width)
    bottom, right = (
        max(top + 1, round((region.top + region.height) * height)),
        max(left + 1, round((region.left + region.width) * width)),
    )
    cut = Image.fromarray(pixels[top:bottom, left:right]).resize((EDGE, EDGE), Image.Resampling.BILINEAR)
    return np.asarray(cut, dtype=np.float64) / 255


@lru_cache(maxsize=256)
def pixels_of(content: bytes) -> "np.ndarray[tuple[int, int, int], np.dtype[np.uint8]]":
    """Return the pixels of a picture."""
    with Image.open(BytesIO(content)) as opened:
        return np.asarray(opened.convert("RGB"), dtype=np.uint8)


def _written(region: Region) -> str:
    return f"{region.left:.4f} {region.top:.4f} {region.width:.4f} {region.height:.4f}"
