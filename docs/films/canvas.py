"""Canvas: a frame that is being drawn, with soft-edged pictures, labels, outlines and arrows on it."""

from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from PIL import Image, ImageChops, ImageDraw, ImageFilter

from films.palette import ACCENT, HEIGHT, INK, LABEL_SIZE, PAPER, WHITE, WIDTH, Rgb, font

_FINER = 4
"""Shapes are drawn four times as large and made smaller, because Pillow draws hard edges."""


class Box(NamedTuple):
    """A rectangle on the frame."""

    left: float
    top: float
    width: float
    height: float

    @property
    def centre(self) -> tuple[float, float]:
        """The middle of the box."""
        return self.left + self.width / 2, self.top + self.height / 2

    def grown(self, by: float) -> "Box":
        """Return the box with a margin on every side."""
        return Box(self.left - by, self.top - by, self.width + 2 * by, self.height + 2 * by)


class Type(NamedTuple):
    """How words are set."""

    size: int = LABEL_SIZE
    fill: Rgb = INK
    is_bold: bool = False


@dataclass
class Canvas:
    """One frame."""

    image: Image.Image = field(default_factory=lambda: Image.new("RGB", (WIDTH, HEIGHT), PAPER))

    def stamp(self, mask: Image.Image, at: tuple[float, float], fill: Rgb, *, alpha: float = 1.0) -> None:
        """Paint a colour through a mask whose upper left corner is given."""
        self.image.paste(fill, (round(at[0]), round(at[1])), _faded(mask, alpha))

    def picture(self, picture: Image.Image, box: Box, *, alpha: float = 1.0, radius: int = 14) -> None:
        """Show a picture with round corners, scaled to the box."""
        size = (max(1, round(box.width)), max(1, round(box.height)))
        shown = picture if picture.size == size else picture.resize(size, Image.Resampling.LANCZOS)
        self.image.paste(shown, (round(box.left), round(box.top)), _faded(rounded(size, radius), alpha))

    def card(self, picture: Image.Image, box: Box, *, alpha: float = 1.0) -> None:
        """Show a picture with a soft shadow."""
        size = (round(box.width), round(box.height))
        margin = 30
        self.stamp(_shadow(size, margin), (box.left - margin, box.top - margin + 8), (20, 40, 50), alpha=0.22 * alpha)
        self.picture(picture, box, alpha=alpha, radius=18)

    def text(self, words: str, centre: tuple[float, float], style: Type | None = None, *, alpha: float = 1.0) -> None:
        """Write one line around a point."""
        how = style or Type()
        mask = _text_mask(words, how.size, is_bold=how.is_bold)
        self.stamp(mask, (centre[0] - mask.width / 2, centre[1] - mask.height / 2), how.fill, alpha=alpha)

    def label(self, words: str, left: float, middle: float, style: Type | None = None, *, alpha: float = 1.0) -> None:
        """Write one line that starts at a point."""
        how = style or Type()
        mask = _text_mask(words, how.size, is_bold=how.is_bold)
        self.stamp(mask, (left, middle - mask.height / 2), how.fill, alpha=alpha)

    def pill(self, words: str, centre: tuple[float, float], *, fill: Rgb = ACCENT, alpha: float = 1.0) -> None:
        """Write a label in white on a colour."""
        width, height = _text_mask(words, LABEL_SIZE, is_bold=True).width + 40, 58
        self.block(Box(centre[0] - width / 2, centre[1] - height / 2, width, height), fill, alpha=alpha, radius=29)
        self.text(words, (centre[0], centre[1] - 1), Type(fill=WHITE, is_bold=True), alpha=alpha)

    def block(self, box: Box, fill: Rgb, *, alpha: float = 1.0, radius: int = 14) -> None:
        """Fill a rectangle with round corners."""
        mask = rounded((max(1, round(box.width)), max(1, round(box.height))), radius)
        self.stamp(mask, (box.left, box.top), fill, alpha=alpha)

    def outline(self, box: Box, fill: Rgb = ACCENT, *, alpha: float = 1.0, thickness: int = 6) -> None:
        """Draw a frame with round corners, on a white one so that it is seen on any picture."""
        size = (max(1, round(box.width)), max(1, round(box.height)))
        wider = (size[0] + 6, size[1] + 6)
        self.stamp(_ring(wider, thickness + 6), (box.left - 3, box.top - 3), WHITE, alpha=0.9 * alpha)
        self.stamp(_ring(size, thickness), (box.left, box.top), fill, alpha=alpha)

    def arrow(self, start: tuple[float, float], length: float, *, fill: Rgb = INK, alpha: float = 1.0) -> None:
        """Draw an arrow to the right, or to the left where the length is negative."""
        mask = _arrow(max(24, round(abs(length))))
        if length < 0:
            mask = mask.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
        left = start[0] if length >= 0 else start[0] - mask.width
        self.stamp(mask, (left, start[1] - mask.height / 2), fill, alpha=alpha)


def _faded(mask: Image.Image, alpha: float) -> Image.Image:
    if alpha >= 1:
        return mask
    return mask.point([round(level * max(alpha, 0.0)) for level in range(256)])


@lru_cache(maxsize=512)
def rounded(size: tuple[int, int], radius: int) -> Image.Image:
    """Return the mask of a rectangle with round corners."""
    width, height = size
    large = Image.new("L", (width * _FINER, height * _FINER), 0)
    reach = min(radius, width // 2, height // 2) * _FINER
    ImageDraw.Draw(large).rounded_rectangle((0, 0, width * _FINER - 1, height * _FINER - 1), reach, fill=255)
    return large.resize(size, Image.Resampling.BOX)


@lru_cache(maxsize=512)
def _ring(size: tuple[int, int], thickness: int) -> Image.Image:
    whole = rounded(size, 16)
    inner = (max(1, size[0] - 2 * thickness), max(1, size[1] - 2 * thickness))
    hole = Image.new("L", size, 0)
    hole.paste(rounded(inner, max(1, 16 - thickness)), (thickness, thickness))
    return ImageChops.subtract(whole, hole)


@lru_cache(maxsize=256)
def _shadow(size: tuple[int, int], margin: int) -> Image.Image:
    flat = Image.new("L", (size[0] + 2 * margin, size[1] + 2 * margin), 0)
    flat.paste(rounded(size, 18), (margin, margin))
    return flat.filter(ImageFilter.GaussianBlur(margin / 2.5))


@lru_cache(maxsize=512)
def _text_mask(words: str, size: int, *, is_bold: bool) -> Image.Image:
    face = font(size)
    ascent, descent = face.getmetrics()
    if not is_bold:
        mask = Image.new("L", (round(face.getlength(words)) + 8, ascent + descent + 4), 0)
        ImageDraw.Draw(mask).text((4, 2), words, fill=255, font=face)
        return mask
    # The font has one weight. A thin stroke makes it bold; at its own size a stroke would be too thick.
    large = font(size * _FINER)
    stroke = round(size * _FINER / 72)
    mask = Image.new("L", (round(large.getlength(words)) + 8 * _FINER, (ascent + descent + 4) * _FINER), 0)
    start = (4 * _FINER, 2 * _FINER)
    ImageDraw.Draw(mask).text(start, words, fill=255, font=large, stroke_width=stroke, stroke_fill=255)
    return mask.resize((mask.width // _FINER, mask.height // _FINER), Image.Resampling.BOX)


@lru_cache(maxsize=256)
def _arrow(length: int) -> Image.Image:
    height, shaft, head = 28, 6, 22
    large = Image.new("L", (length * _FINER, height * _FINER), 0)
    draw, middle = ImageDraw.Draw(large), height * _FINER // 2
    draw.rectangle((0, middle - shaft * 2, (length - head + 2) * _FINER, middle + shaft * 2), fill=255)
    tip = ((length - head) * _FINER, 0), (length * _FINER - 1, middle), ((length - head) * _FINER, height * _FINER - 1)
    draw.polygon(tip, fill=255)
    return large.resize((length, height), Image.Resampling.BOX)
