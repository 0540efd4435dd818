"""Shots that the three explanation films share, so that the conditions of a study differ in the explanation alone."""

from films.canvas import Box, Canvas, Type
from films.easing import along, between, eased
from films.example_system import N_COLUMNS, Example, picture_of
from films.grid_view import (
    HALF,
    LARGE,
    VERDICTS,
    WHOLE,
    Rows,
    View,
    ends,
    grid,
    headings,
    verdicts,
    view_between,
)
from films.meter import Answers, answered
from films.palette import ACCENT, SOFT, TITLE_SIZE, WHITE, WIDTH
from films.timeline import Drawing, Shot

ANSWERS = Answers("Peeky", "Stretchy")
TABLE_LEFT = 640.0
COLUMN_STOPS = ((0.5, 0.0), (1.5, 1.0), (2.5, 2.0), (3.5, 3.0), (4.5, 4.0))


def opening(rows: Rows) -> tuple[Shot, ...]:
    """Say what the film is for and what the system does."""
    return (
        Shot("This film shows how to find out what a system relies on.", _title(rows), 1.0, opens_chapter=True),
        Shot("The system gets a picture. It says Peeky or Stretchy, and how certain it is.", _asks, 4.4),
        Shot("You will see 50 pictures, in ten rows and five columns.", _fills(rows), 2.2),
    )


def columns(rows: Rows, text: str) -> tuple[Shot, ...]:
    """Say what the columns show, and what the one in the middle means."""
    return (
        Shot(text, enlarged(rows), 2.2, opens_chapter=True),
        Shot("In the middle, the system is unsure, even if a picture looks clear to you.", middle_column(rows), 0.8),
    )


def example(rows: Rows) -> Shot:
    """Begin the chapter about a system whose causes are known."""
    text = "Here is a made-up system. Only three things vary: background, bending and size."
    return Shot(text, beside_table(rows), 1.9, opens_chapter=True)


def closing() -> tuple[Shot, ...]:
    """Say what to answer, and that the example proves nothing about the study."""
    return (
        Shot(
            "Now it is your turn. One thing may be relevant, or many, or none.",
            _choices(is_written=False),
            1.0,
            opens_chapter=True,
        ),
        Shot(
            "For each thing, choose relevant or irrelevant. Then write a sentence or two on why.",
            _choices(is_written=True),
            2.4,
        ),
        Shot("This example was made up. It tells you nothing about the system that you will see.", _apart, 0.9),
        Shot("Look at the new pictures with fresh eyes, and take your time.", _apart_at_rest),
    )


def _title(rows: Rows) -> Drawing:
    def draw(canvas: Canvas, at_s: float) -> None:
        rise = 24 * (1 - eased(at_s, 0.0, 1.0))
        canvas.text("What does it rely on?", (WIDTH / 2, 116), Type(TITLE_SIZE, is_bold=True))
        for column in range(N_COLUMNS):
            canvas.card(picture_of(rows[0][column]), Box(80 + column * 230, 230 + rise, 200, 200))

    return draw


def _asks(canvas: Canvas, at_s: float) -> None:
    share = along(((0.6, 0.5), (1.8, 0.08), (2.8, 0.08), (4.4, 0.92)), at_s)
    step = along(((1.8, 0.0), (2.8, 0.0), (4.0, 4.0)), at_s)
    example = Example(lightness=round(step, 2), bend=round(step, 2), size=1.05)
    answered(canvas, picture_of(example, 250), ANSWERS, share, alpha=eased(at_s, 0.2, 0.7))


def _fills(rows: Rows) -> Drawing:
    def draw(canvas: Canvas, at_s: float) -> None:
        grid(canvas, rows, WHOLE, alpha_of=lambda row, column: _shown(at_s, row + column))
        for words, x in (("10 rows", 340), ("5 columns", 950)):
            canvas.text(words, (x, 285), Type(44, is_bold=True), alpha=eased(at_s, 1.4, 2.2))

    return draw


def _shown(at_s: float, order: float) -> float:
    return eased(at_s, 0.2 + 0.1 * order, 0.7 + 0.1 * order)


def enlarged(rows: Rows) -> Drawing:
    """Go from the whole grid to its first rows under their headings."""

    def draw(canvas: Canvas, at_s: float) -> None:
        grid(canvas, rows, view_between(WHOLE, LARGE, eased(at_s, 0.3, 1.8)))
        headings(canvas, LARGE, alpha=eased(at_s, 1.6, 2.2))

    return draw


def middle_column(rows: Rows) -> Drawing:
    """Mark the middle column of the enlarged grid."""

    def draw(canvas: Canvas, at_s: float) -> None:
        grid(canvas, rows, LARGE)
        headings(canvas, LARGE)
        canvas.outline(LARGE.area((0, 2), (2, 2)).grown(9), alpha=eased(at_s, 0.3, 0.8))

    return draw


def beside_table(rows: Rows) -> Drawing:
    """Move the grid to the left and write the attributes next to it."""

    def draw(canvas: Canvas, at_s: float) -> None:
        share = eased(at_s, 0.2, 1.6)
        grid(canvas, rows, view_between(LARGE, HALF, share))
        headings(canvas, LARGE, alpha=1 - eased(at_s, 0.0, 0.4))
        if share > 0.9:
            ends(canvas, HALF, alpha=eased(at_s, 1.4, 1.9))
        verdicts(canvas, TABLE_LEFT, 0.0, alpha=eased(at_s, 1.3, 1.9))

    return draw


def half(canvas: Canvas, rows: Rows, n_known: float, *, view: View = HALF) -> None:
    """Show the grid on the left with the verdicts that are known so far."""
    grid(canvas, rows, view)
    ends(canvas, view)
    verdicts(canvas, TABLE_LEFT, n_known)


def _choices(*, is_written: bool) -> Drawing:
    """Show answers as the page of the study asks for them, without a verdict."""

    def draw(canvas: Canvas, at_s: float) -> None:
        canvas.block(Box(170, 40, 940, 490), WHITE, radius=22)
        for number, verdict in enumerate(VERDICTS):
            middle = 112.0 + 152 * number
            canvas.label(verdict.name, 215, middle, Type(40, is_bold=True))
            for word, x in (("relevant", 570), ("irrelevant", 850)):
                canvas.block(Box(x - 22, middle - 20, 40, 40), SOFT, radius=20)
                canvas.block(Box(x - 18, middle - 16, 32, 32), WHITE, radius=16)
                canvas.label(word, x + 36, middle, Type(38))
            canvas.block(Box(215, middle + 40, 850, 44), SOFT, radius=10)
            canvas.block(Box(218, middle + 43, 844, 38), WHITE, radius=8)
            writes = eased(at_s, 0.4 + 0.6 * number, 1.2 + 0.6 * number) if is_written else 0.0
            if writes > 0.02:
                canvas.block(Box(236, middle + 58, between(8, 560 - 90 * number, writes), 8), ACCENT, radius=4)

    return draw


def _apart(canvas: Canvas, at_s: float) -> None:
    for words, left in (("example", 190), ("study", 690)):
        box = Box(left, 90, 400, 380)
        canvas.block(box, WHITE, radius=22)
        canvas.text(words, (box.centre[0], 430), Type(40, is_bold=True))
    for position in range(9):
        step = float(position % 3 * 2)
        cell = Box(264 + position % 3 * 85, 118 + position // 3 * 85, 80, 80)
        canvas.picture(picture_of(Example(lightness=step, bend=step)), cell, radius=8)
    canvas.text("?", (890, 245), Type(180, ACCENT, is_bold=True), alpha=eased(at_s, 0.3, 0.9))


def _apart_at_rest(canvas: Canvas, _at_s: float) -> None:
    _apart(canvas, 9.0)
