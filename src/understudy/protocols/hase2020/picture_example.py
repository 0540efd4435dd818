"""A made-up picture with a heat map, for the lesson on heat maps: a house by a tree, which no study asks about."""

from base64 import b64encode

import numpy as np

from understudy.roles import Floats, Pixels
from understudy.schema import ShownPicture, heatmap_from_arrays
from understudy.sources.pictures import picture_from_pixels
from understudy.tasks.instructions import Example

WIDTH, HEIGHT = 240, 180
_SKY, _GRASS, _WALL, _ROOF, _DOOR, _TRUNK, _LEAVES = (
    (178, 210, 235), (120, 160, 90), (226, 205, 170), (150, 70, 55), (90, 60, 45), (110, 80, 55), (60, 110, 60),
)  # fmt: skip
_CAPTION = "A model says whether a picture shows a **house** or a **barn**. Here it said “house”."


def picture_example() -> Example:
    """Return the picture, with a heat map whose warmest places are the door and the roof."""
    # Twice as large, so that the picture is as wide on the page as the map of it.
    file = picture_from_pixels(_pixels().repeat(2, axis=0).repeat(2, axis=1))
    shown = ShownPicture(file=file.address, width=2 * WIDTH, height=2 * HEIGHT)
    heatmap = heatmap_from_arrays(shown, [_counted()], is_signed=True)
    return Example(
        caption=_CAPTION,
        content={"image": file.address},
        explanation=heatmap,
        picture=b64encode(file.content).decode("ascii"),
    )


def _pixels() -> Pixels:
    y, x = np.mgrid[:HEIGHT, :WIDTH]
    pixels = np.empty((HEIGHT, WIDTH, 3), dtype=np.uint8)
    pixels[:] = _SKY
    pixels[y > 125] = _GRASS
    pixels[(x > 60) & (x < 150) & (y > 80) & (y < 150)] = _WALL
    pixels[(y > 40) & (y <= 80) & (abs(x - 105) < (y - 40) * 1.4)] = _ROOF
    pixels[(x > 92) & (x < 118) & (y > 108) & (y < 150)] = _DOOR
    pixels[(x > 193) & (x < 203) & (y > 90) & (y < 145)] = _TRUNK
    pixels[(x - 198) ** 2 + (y - 75) ** 2 < 30**2] = _LEAVES
    return pixels


def _counted() -> Floats:
    y, x = np.mgrid[:18, :24] * 10 + 5

    def spot(across: int, down: int) -> Floats:
        return np.asarray(np.exp(-((x - across) ** 2 + (y - down) ** 2) / 700))

    return np.round(0.3 * spot(105, 130) + 0.2 * spot(105, 62) - 0.15 * spot(198, 80), 4)
