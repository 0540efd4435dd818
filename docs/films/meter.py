"""Meter: a system, what it answers and how certain it is, as a pointer over five fields."""

from functools import lru_cache
from typing import NamedTuple

from PIL import Image, ImageDraw

from films.canvas import Box, Canvas, Type
from films.palette import ACCENT, INK, WARM, WHITE, WIDTH, Rgb

FIELD, GAP, THICK = 176, 8, 30
_FILLS: tuple[Rgb, ...] = (ACCENT, (125, 178, 174), (200, 206, 210), (222, 166, 130), WARM)
_CERTAINTIES = ("very certain", "certain", "unsure", "certain", "very certain")


class Answers(NamedTuple):
    """The two answers of a system."""

    low: str
    high: str


INPUT, SYSTEM = Box(290, 46, 250, 250), Box(650, 106, 240, 130)


def system(canvas: Canvas, at: Box = SYSTEM, *, alpha: float = 1.0) -> None:
    """Draw the system, which is a box to everybody."""
    canvas.block(at, ACCENT, alpha=alpha, radius=22)
    canvas.text("system", at.centre, Type(42, WHITE, is_bold=True), alpha=alpha)


def answered(canvas: Canvas, picture: Image.Image, answers: Answers, share: float, *, alpha: float = 1.0) -> None:
    """Draw a picture, the system that gets it and its answer."""
    canvas.card(picture, INPUT)
    system(canvas)
    canvas.arrow((INPUT.left + INPUT.width + 16, SYSTEM.centre[1]), 78)
    meter(canvas, answers, share, alpha=alpha)


def meter(canvas: Canvas, answers: Answers, share: float, *, top: float = 400.0, alpha: float = 1.0) -> None:
    """Draw the meter with its pointer at a share from 0 (certain of the low answer) to 1 (of the high one)."""
    width = 5 * FIELD + 4 * GAP
    left = (WIDTH - width) / 2
    for number, fill in enumerate(_FILLS):
        canvas.block(Box(left + number * (FIELD + GAP), top, FIELD, THICK), fill, alpha=alpha, radius=8)
    at = left + share * width
    canvas.stamp(_pointer(), (at - 17, top - 30), INK, alpha=alpha)
    field = min(int(share * 5), 4)
    word = _CERTAINTIES[field]
    said = word if field == 2 else f"{word}: {answers.low if field < 2 else answers.high}"
    fill = (ACCENT, ACCENT, INK, WARM, WARM)[field]
    canvas.pill(said, (min(max(at, left + 140), left + width - 140), top - 62), fill=fill, alpha=alpha)
    for name, centre in ((answers.low, left + FIELD / 2), (answers.high, left + width - FIELD / 2)):
        canvas.text(name, (centre, top + THICK + 30), Type(38, is_bold=True), alpha=alpha)


@lru_cache(maxsize=1)
def _pointer() -> Image.Image:
    large = Image.new("L", (136, 96), 0)
    ImageDraw.Draw(large).polygon(((0, 0), (135, 0), (68, 95)), fill=255)
    return large.resize((34, 24), Image.Resampling.BOX)
