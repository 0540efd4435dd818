"""Palette: the colours, sizes and the font of the films, which are those of the pages for participants."""

from functools import cache
from typing import TypeAlias

from PIL import ImageFont

Rgb: TypeAlias = tuple[int, int, int]
WIDTH, HEIGHT = 1280, 720
PAPER: Rgb = (244, 246, 245)
WHITE: Rgb = (255, 255, 255)
INK: Rgb = (28, 39, 51)
SOFT: Rgb = (84, 96, 109)
LINE: Rgb = (215, 220, 223)
ACCENT: Rgb = (15, 107, 102)
WASH: Rgb = (227, 240, 238)
WARM: Rgb = (179, 84, 30)
"""Accent and warm also differ in lightness, so that they can be told apart without seeing red or green."""
RED: Rgb = (226, 35, 26)
CAPTION_SIZE, LABEL_SIZE, TITLE_SIZE = 40, 34, 76


@cache
def font(size: int) -> ImageFont.FreeTypeFont:
    """Return the font that Pillow brings along (Aileron, public domain), so that every machine sets the same letters."""
    loaded = ImageFont.load_default(size)
    if not isinstance(loaded, ImageFont.FreeTypeFont):
        raise TypeError("Pillow was built without FreeType. Install a Pillow wheel.")
    return loaded
