"""The film on the baseline: pictures sorted by the answer of the system, to be compared column by column."""

from films.canvas import Canvas
from films.easing import along, eased
from films.example_system import baseline_rows
from films.explanation_shots import COLUMN_STOPS, closing, columns, example, half, middle_column, opening
from films.grid_view import HALF
from films.palette import WARM
from films.timeline import Drawing, Film, Shot

ROWS = baseline_rows()
ODD_ROW, ODD_COLUMN = 3, 1


def _sweep(canvas: Canvas, at_s: float) -> None:
    half(canvas, ROWS, 0.0)
    column = along(COLUMN_STOPS, at_s)
    canvas.outline(HALF.area((0, 4), (column, column)).grown(8), alpha=eased(at_s, 0.1, 0.5), thickness=5)


def _found(n_before: int, columns: tuple[int, ...]) -> Drawing:
    """Mark columns, then show the next verdict."""

    def draw(canvas: Canvas, at_s: float) -> None:
        half(canvas, ROWS, n_before + eased(at_s, 3.0, 3.6))
        for number, column in enumerate(columns):
            start_s = 0.3 + 1.4 * number / max(1, len(columns) - 1)
            box = HALF.area((0, 4), (column, column)).grown(8)
            canvas.outline(box, alpha=eased(at_s, start_s, start_s + 0.5), thickness=5)

    return draw


def _odd(canvas: Canvas, at_s: float) -> None:
    half(canvas, ROWS, 3.0)
    canvas.outline(HALF.box(ODD_ROW, ODD_COLUMN).grown(8), WARM, alpha=eased(at_s, 0.3, 0.8), thickness=5)


FILM = Film(
    "explanation-baseline",
    "What does it rely on?",
    (
        *opening(ROWS),
        *columns(
            ROWS,
            "The columns show the answer: from very certain Peeky on the left to very certain Stretchy on the right.",
        ),
        Shot(
            "Each picture is used once. It is sorted by the answer alone, so the rows have no meaning.",
            middle_column(ROWS),
        ),
        example(ROWS),
        Shot("Compare the columns. What changes from left to right?", _sweep, 4.5),
        Shot("The background is dark on the left and bright on the right. So it is relevant.", _found(0, (0, 4)), 3.6),
        Shot(
            "The ends of the body bend down on the left and up on the right. So bending is relevant, too.",
            _found(1, (0, 4)),
            3.6,
        ),
        Shot(
            "There are large and small animals in every column. So size is irrelevant.", _found(2, (0, 1, 2, 3, 4)), 3.6
        ),
        Shot("Some pictures may not fit, like this one. Look at all rows before you decide.", _odd, 0.8, looks_s=0.5),
        *closing(),
    ),
)
