"""The made-up system of the explanation films, and its ten rows of five pictures for each kind of explanation.

It relies on the background (dark: Peeky, bright: Stretchy) and on bending, and not on size. Legs, colour and blocks are
the same in all of its pictures, and the colours are not those of the study, so that nothing can be learned from it about
the study. Rows are drawn with seeds of their own; the sampler of the study has no part in them.
"""

from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Literal, TypeAlias

import numpy as np
from PIL import Image, ImageChops, ImageDraw, ImageFilter

from films.animals import SPINE, Drawn, animal
from films.palette import RED
from understudy.worlds.two4two import Two4Two

N_ROWS, N_COLUMNS, EDGE = 10, 5, 220
SAME = Two4Two(legs=0.5, shape=0.5, animal_rgb=(0.62, 0.36, 0.06))
DARK_TO_BRIGHT = (0.012, 0.05, 0.16, 0.42, 0.95)
"""Albedos that look about evenly spaced."""
DOWN_TO_UP = (-0.34, -0.19, 0.0, 0.19, 0.34)
Corner: TypeAlias = Literal["left", "right", "top"]
_CORNERS = {"left": (0.03, 0.82, 0.45, 0.97), "right": (0.6, 0.03, 0.97, 0.24), "top": (0.03, 0.03, 0.5, 0.2)}
"""Regions of the background that no animal reaches, as shares: left, top, right, bottom."""


@dataclass(frozen=True)
class Example:
    """One picture of the made-up system."""

    lightness: float
    """Of the background: 0 is dark, 4 is bright, as the columns of a grid."""
    bend: float
    """0 is bent downwards, 4 upwards."""
    size: float = 1.0
    region: Corner | Literal["body"] | None = None
    """What a concept marks: a part of the background or the middle of the body."""


@lru_cache(maxsize=400)
def picture_of(example: Example, edge: int = EDGE) -> Image.Image:
    """Draw a picture of the made-up system."""
    grey = float(np.interp(example.lightness, range(5), DARK_TO_BRIGHT))
    bending = float(np.interp(example.bend, range(5), DOWN_TO_UP))
    look = SAME.model_copy(update={"background_rgb": (grey,) * 3, "bending": bending})
    shown = animal(look, edge, size=example.size)
    return shown.picture if example.region is None else _marked(shown, example.region)


@cache
def baseline_rows() -> tuple[tuple[Example, ...], ...]:
    """Return pictures sorted by the answer; two of them do not fit, as in the life of any system."""
    rng = np.random.default_rng(11)
    rows = [
        [_single(rng, lightness=float(column), bend=float(column)) for column in range(N_COLUMNS)]
        for _ in range(N_ROWS)
    ]
    rows[3][1] = replace(rows[3][1], bend=3.4)
    rows[7][3] = replace(rows[7][3], lightness=0.8)
    return tuple(tuple(row) for row in rows)


@cache
def counterfactual_rows() -> tuple[tuple[Example, ...], ...]:
    """Return rows of one animal each, whose background and bending change step by step."""
    rng = np.random.default_rng(12)
    sizes = [(0.72, 1.06)[row % 2] + float(rng.uniform(-0.04, 0.04)) for row in range(N_ROWS)]
    return tuple(
        tuple(Example(lightness=float(step), bend=float(step), size=size) for step in range(N_COLUMNS))
        for size in sizes
    )


@cache
def concept_rows() -> tuple[tuple[Example, ...], ...]:
    """Return two rows for each of five concepts: where it is strong, and where it is weak."""
    rng = np.random.default_rng(13)
    regions: tuple[Corner | Literal["body"], ...] = ("left", "body", "right", "body", "top")
    rows: list[tuple[Example, ...]] = []
    for region in regions:
        for value in (0.0, 4.0):
            others = [float(other) for other in rng.permutation(5)]
            marked = [
                _single(rng, lightness=other, bend=value)
                if region == "body"
                else _single(rng, lightness=value, bend=other)
                for other in others
            ]
            rows.append(tuple(replace(example, region=region) for example in marked))
    return tuple(rows)


def _single(rng: np.random.Generator, *, lightness: float, bend: float) -> Example:
    """Return a picture near two values, large or small by chance."""
    jitter = rng.uniform(-0.35, 0.35, size=2)
    return Example(
        lightness=float(np.clip(lightness + jitter[0], 0, 4)),
        bend=float(np.clip(bend + jitter[1], 0, 4)),
        size=float(rng.choice([0.72, 1.06]) + rng.uniform(-0.04, 0.04)),
    )


def _marked(shown: Drawn, region: str) -> Image.Image:
    """Dim a picture outside a region and draw a line around it, as the study does."""
    edge = shown.picture.width
    mask = _region_mask(shown, region)
    grey = Image.blend(shown.picture, Image.new("RGB", shown.picture.size, (128, 128, 128)), 0.72)
    marked = Image.composite(shown.picture, grey, mask)
    wider = mask.filter(ImageFilter.MaxFilter(2 * max(2, edge // 70) + 1))
    marked.paste(RED, (0, 0), ImageChops.subtract(wider, mask))
    return marked


def _region_mask(shown: Drawn, region: str) -> Image.Image:
    edge = shown.picture.width
    if region == "body":
        spine = Image.fromarray(np.where(np.isin(shown.mask, SPINE), 255, 0).astype(np.uint8))
        # A blurred spine, cut at a low level, is a smooth region around it that bends with it.
        blurred = spine.filter(ImageFilter.GaussianBlur(edge / 22))
        return blurred.point([min(255, max(0, (level - 36) * 20)) for level in range(256)])
    large = Image.new("L", (edge * 4, edge * 4), 0)
    box = [round(side * edge * 4) for side in _CORNERS[region]]
    ImageDraw.Draw(large).rounded_rectangle(box, edge // 3, fill=255)
    return large.resize((edge, edge), Image.Resampling.BOX)
