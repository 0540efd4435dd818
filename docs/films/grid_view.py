"""Grid view: ten rows of five pictures on the frame, as a whole or enlarged, and the table of verdicts next to it."""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from films.canvas import Box, Canvas, Type
from films.easing import between
from films.example_system import N_COLUMNS, Example, picture_of
from films.palette import ACCENT, SOFT, WIDTH

Rows: TypeAlias = tuple[tuple[Example, ...], ...]
HEADINGS = (
    ("very certain", "Peeky"),
    ("certain", "Peeky"),
    ("unsure", ""),
    ("certain", "Stretchy"),
    ("very certain", "Stretchy"),
)


_LOWEST = 570.0


class View(NamedTuple):
    """Where the pictures of a grid are on the frame."""

    left: float
    top: float
    pitch_x: float
    pitch_y: float
    cell: float
    n_rows: float
    """How many rows are seen; the others fade out."""
    pair_gap: float = 0.0
    """Space after every second row."""

    def box(self, row: float, column: float) -> Box:
        """Return where a picture is."""
        inset = (self.pitch_x - self.cell) / 2
        top = self.top + row * self.pitch_y + row // 2 * self.pair_gap
        return Box(self.left + column * self.pitch_x + inset, top, self.cell, self.cell)

    def area(self, rows: tuple[float, float], columns: tuple[float, float]) -> Box:
        """Return the box around neighbouring rows and columns, first and last."""
        first, last = self.box(rows[0], columns[0]), self.box(rows[1], columns[1])
        return Box(first.left, first.top, last.left + self.cell - first.left, last.top + self.cell - first.top)


WHOLE = View((WIDTH - 5 * 51) / 2, 32, 51, 51, 46, 10)
LARGE = View((WIDTH - 5 * 228) / 2, 128, 228, 140, 132, 3)
HALF = View(60, 96, 98, 90, 82, 5)
FIVE_PAIRS = WHOLE._replace(top=26.0, pitch_y=47.0, cell=44.0, pair_gap=9.0)
PAIRS = View(168, 50, 112, 113, 105, 4, pair_gap=16)


def view_between(start: View, end: View, share: float) -> View:
    """Return a view on the way from one to another."""
    return View(*(between(before, after, share) for before, after in zip(start, end, strict=True)))


def grid(canvas: Canvas, rows: Rows, view: View, *, alpha_of: Callable[[int, int], float] | None = None) -> None:
    """Show the pictures of a grid that the view includes."""
    for number, row in enumerate(rows):
        # A row that moves down is gone before it reaches the caption.
        above_caption = (_LOWEST - view.box(number, 0).top - view.cell) / 30
        seen = min(max(min(view.n_rows - number, above_caption), 0.0), 1.0)
        for column, example in enumerate(row):
            alpha = seen * (alpha_of(number, column) if alpha_of else 1.0)
            if alpha > 0:
                canvas.picture(picture_of(example), view.box(number, column), alpha=alpha, radius=8)


def headings(canvas: Canvas, view: View, *, alpha: float = 1.0) -> None:
    """Write the headings of the columns over an enlarged grid."""
    for column, (certainty, name) in enumerate(HEADINGS):
        box = view.box(0, column)
        lines = [certainty, name] if name else [certainty]
        for number, line in enumerate(lines):
            middle = view.top - 88 + 40 * number + (0 if name else 20)
            canvas.text(line, (box.centre[0], middle), Type(is_bold=True), alpha=alpha)


def ends(canvas: Canvas, view: View, *, alpha: float = 1.0) -> None:
    """Write where the answer goes, over a grid that is too small for all headings."""
    middle = view.top - 38
    first, last = view.box(0, 0), view.box(0, N_COLUMNS - 1)
    canvas.label("Peeky", first.left, middle, Type(is_bold=True), alpha=alpha)
    canvas.arrow((first.left + 116, middle + 2), 178, alpha=alpha)
    canvas.label("Stretchy", last.left + last.width - 148, middle, Type(is_bold=True), alpha=alpha)


class Verdict(NamedTuple):
    """What is found about an attribute."""

    name: str
    is_relevant: bool


VERDICTS = (
    Verdict("background", is_relevant=True),
    Verdict("bending", is_relevant=True),
    Verdict("size", is_relevant=False),
)


def verdicts(canvas: Canvas, left: float, n_known: float, *, width: float = 500.0, alpha: float = 1.0) -> None:
    """Write the three attributes with the verdicts that are known so far; a broken number fades the last one in."""
    for number, (name, is_relevant) in enumerate(VERDICTS):
        middle = 224.0 + 96 * number
        canvas.label(name, left, middle, Type(42), alpha=alpha)
        known = min(max(n_known - number, 0.0), 1.0)
        centre = left + width - 110
        if known < 1:
            canvas.text("?", (centre, middle), Type(42, SOFT, is_bold=True), alpha=alpha * (1 - known))
        word, fill = ("relevant", ACCENT) if is_relevant else ("irrelevant", SOFT)
        canvas.pill(word, (centre, middle), fill=fill, alpha=known)
