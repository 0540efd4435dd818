"""What a person sees on a page about a prediction: maps, rows of compared regions, or steps of a tree."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from io import BytesIO
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from PIL import Image

from understudy.roles import Floats
from understudy.schema import (
    Alternatives,
    Explanation,
    Heatmap,
    PrototypeMatch,
    PrototypeMatches,
    Region,
    Several,
    ShownPicture,
    TreeFork,
    TreePath,
    TreeStep,
    Trial,
    layer_values,
)


class SeenRow(NamedTuple):
    """A pair of regions, and what the page says about it."""

    picture: ShownPicture
    match: PrototypeMatch

    @property
    def is_present(self) -> bool | None:
        """The model's decision, if the page shows it."""
        return self.match.is_present if isinstance(self.match, TreeStep) else None


class SeenMap(NamedTuple):
    """A map, and the photo it lies on."""

    values: Floats
    """From 0 to 1 on the page's scale, or from -1 to 1 where there is evidence against."""
    picture: ShownPicture


class SeenFork(NamedTuple):
    """The two decisions that are left to the person."""

    first: SeenRow
    if_absent: SeenRow
    if_present: SeenRow


class PredictionPage(NamedTuple):
    """A page, as far as it explains predictions; a part that it does not have is empty."""

    maps: Mapping[str, SeenMap]
    """Option -> its map; a page about one prediction has the option ''."""
    rows: Mapping[str, Sequence[SeenRow]]
    """Option -> its rows."""
    fork: SeenFork | None


def prediction_page(trial: Trial) -> PredictionPage | None:
    """Read the explanation of a page; None if it explains no prediction by maps, rows or steps."""
    found = _page_of(trial.explanation)
    return found if found is not None and (found.maps or found.rows or found.fork) else None


def _page_of(explanation: Explanation | None) -> PredictionPage | None:
    match explanation:
        case Heatmap():
            return PredictionPage(_maps(explanation), {}, None)
        case PrototypeMatches():
            return PredictionPage({}, {"": [SeenRow(explanation.picture, row) for row in explanation.rows]}, None)
        case TreePath():
            steps = [SeenRow(explanation.picture, step) for step in explanation.steps]
            return PredictionPage({}, {"": steps}, _fork(explanation.picture, explanation.fork))
        case Alternatives():
            pages = [_page_of(option) for option in explanation.options]
            rows = {str(k): page.rows.get("", ()) for k, page in enumerate(pages, start=1) if page is not None}
            maps = {str(k): page.maps[""] for k, page in enumerate(pages, start=1) if page and "" in page.maps}
            return PredictionPage(maps, rows, None)
        case Several():
            return next((page for page in map(_page_of, explanation.parts) if page is not None), None)
        case _:
            return None


def _maps(heatmap: Heatmap) -> dict[str, SeenMap]:
    reach = max(abs(limit) for limit in heatmap.limits)
    grids = [SeenMap(layer_values(layer, heatmap.limits) / reach, heatmap.picture) for layer in heatmap.layers]
    return {"": grids[0]} if len(grids) == 1 else {str(k): grid for k, grid in enumerate(grids, start=1)}


def _fork(picture: ShownPicture, fork: TreeFork | None) -> SeenFork | None:
    if fork is None:
        return None
    return SeenFork(*(SeenRow(picture, step) for step in (fork.first, fork.if_absent, fork.if_present)))


# Looking: how tidy and how strong a map is, and how similar two regions look, from the pictures alone.

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


# Features: what regions look like as a few numbers, as the first layers of a network would give them.

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
