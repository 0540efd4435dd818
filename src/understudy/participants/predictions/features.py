"""Features: what regions look like as a few numbers, as the first layers of a network would give them."""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
from PIL import Image

from understudy.participants.predictions.looking import pixels_of, region_of
from understudy.participants.predictions.page import SeenMap, SeenRow
from understudy.roles import Floats

N_DIRECTIONS = 6
_MARKED_SHARE = 0.15
"""The strongest part of a map, which people take for what it marks."""
_SHARPNESS = 3.0


def feature_likeness(row: SeenRow, pictures: Mapping[str, bytes]) -> float:
    """Return how alike the features of the two regions of a row are, from 0 to 1."""
    match = row.match
    own = region_of(pictures[row.picture.file], match.region)
    other = region_of(pictures[match.source.file], match.source_region)
    return float(np.exp(-_SHARPNESS * np.linalg.norm(features(own) - features(other))))


def distinctness(seen: SeenMap, pictures: Mapping[str, bytes]) -> float:
    """Return how unlike the rest of the photo the marked area is, from 0 to 1."""
    photo = np.asarray(pixels_of(pictures[seen.picture.file]), dtype=np.float64) / 255
    height, width = photo.shape[:2]
    grown = Image.fromarray(seen.values.astype(np.float32)).resize((width, height), Image.Resampling.BILINEAR)
    values = np.asarray(grown, dtype=np.float64)
    is_marked = values >= np.quantile(values, 1 - _MARKED_SHARE)
    if is_marked.all():
        return 0.0
    apart = np.linalg.norm(_summary(photo, is_marked) - _summary(photo, ~is_marked))
    return float(1 - np.exp(-_SHARPNESS * apart))


def features(region: Floats) -> Floats:
    """Return mean and spread of each colour, and how strong edges of each direction are."""
    return _summary(region, np.ones(region.shape[:2], dtype=bool))


def _summary(picture: Floats, is_inside: npt.NDArray[np.bool_]) -> Floats:
    inside = picture[is_inside]
    down, right = np.gradient(picture.mean(axis=2))
    strengths = np.hypot(down, right)
    # Light to dark and dark to light is the same edge.
    directions = np.floor(np.arctan2(down, right) % np.pi / np.pi * N_DIRECTIONS).astype(np.int64) % N_DIRECTIONS
    edges = [strengths[is_inside & (directions == k)].sum() / is_inside.sum() for k in range(N_DIRECTIONS)]
    summary: Floats = np.concatenate([inside.mean(axis=0), inside.std(axis=0), 4 * np.array(edges)])
    return summary
