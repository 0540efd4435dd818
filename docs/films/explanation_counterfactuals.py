"""The film on counterfactuals: one animal in each row, changed until the system gives another answer."""

from dataclasses import replace

from films.canvas import Box, Canvas
from films.easing import along, eased
from films.example_system import N_COLUMNS, counterfactual_rows, picture_of
from films.explanation_shots import COLUMN_STOPS, closing, columns, example, half, opening
from films.grid_view import HALF, LARGE, ends, grid, headings
from films.palette import WARM
from films.timeline import Drawing, Film, Shot

ROWS = counterfactual_rows()
FOLLOWED = 1
SMALL_AND_LARGE = (0, 3)


def _one_row(canvas: Canvas, at_s: float) -> None:
    grid(canvas, ROWS, LARGE)
    headings(canvas, LARGE)
    canvas.outline(LARGE.area((0, 0), (0, N_COLUMNS - 1)).grown(9), alpha=eased(at_s, 0.3, 0.8))


def _follow(canvas: Canvas, at_s: float) -> None:
    """Walk along a row, with the animal large at the side and every step between the pictures."""
    grid(canvas, ROWS, HALF)
    ends(canvas, HALF)
    column = along(COLUMN_STOPS, at_s)
    example = replace(ROWS[FOLLOWED][0], lightness=round(column, 2), bend=round(column, 2))
    canvas.card(picture_of(example, 380), Box(720, 106, 380, 380))
    canvas.outline(HALF.box(FOLLOWED, column).grown(8), alpha=eased(at_s, 0.1, 0.5), thickness=5)


def _found(n_before: int, rows: tuple[int, ...]) -> Drawing:
    """Mark rows, then show the next verdict."""

    def draw(canvas: Canvas, at_s: float) -> None:
        half(canvas, ROWS, n_before + eased(at_s, 3.0, 3.6))
        for number, row in enumerate(rows):
            start_s = 0.3 + 1.2 * number
            box = HALF.area((row, row), (0, N_COLUMNS - 1)).grown(8)
            canvas.outline(box, alpha=eased(at_s, start_s, start_s + 0.5), thickness=5)

    return draw


def _many_rows(canvas: Canvas, at_s: float) -> None:
    half(canvas, ROWS, 3.0)
    row = along(((0.4, 0.0), (1.2, 1.0), (2.0, 2.0), (2.8, 3.0), (3.6, 4.0)), at_s)
    canvas.outline(HALF.area((row, row), (0, N_COLUMNS - 1)).grown(8), WARM, alpha=eased(at_s, 0.1, 0.5), thickness=5)


FILM = Film(
    "explanation-counterfactuals",
    "What does it rely on?",
    (
        *opening(ROWS),
        *columns(
            ROWS,
            "Each row shows one animal. We changed it step by step, from very certain Peeky to very certain Stretchy.",
        ),
        Shot(
            "These pictures are computed. Along a row you see what must change so that the answer changes.",
            _one_row,
            0.8,
        ),
        example(ROWS),
        Shot("Follow a row. What changes from left to right, and what does not?", _follow, 4.5),
        Shot("The background turns from dark to bright. So it is relevant.", _found(0, (1,)), 3.6),
        Shot("The ends of the body move from down to up. So bending is relevant, too.", _found(1, (1,)), 3.6),
        Shot(
            "Small animals stay small, and large ones stay large. So size is irrelevant.",
            _found(2, SMALL_AND_LARGE),
            3.6,
        ),
        Shot("A small change may be chance. Look for changes that come back in many rows.", _many_rows, 3.6),
        *closing(),
    ),
)
