"""The film on concepts: pairs of rows in which the system finds a pattern strongly or hardly at all."""

from films.canvas import Box, Canvas, Type
from films.easing import along, eased
from films.example_system import N_COLUMNS, concept_rows, picture_of
from films.explanation_shots import closing, opening
from films.grid_view import FIVE_PAIRS, PAIRS, WHOLE, View, grid, verdicts, view_between
from films.palette import ACCENT, WARM
from films.timeline import Drawing, Film, Shot

ROWS = concept_rows()
TABLE_LEFT, TABLE_WIDTH = 775.0, 475.0
CENTRED = PAIRS._replace(left=380)
"""The view before the table of verdicts is next to it."""


def _pair_box(view: View, first: float) -> Box:
    return view.area((first, first + 1), (0, N_COLUMNS - 1)).grown(8)


def _strengths(canvas: Canvas, view: View, *, alpha: float = 1.0) -> None:
    for row in range(4):
        middle = view.box(row, 0).centre[1]
        canvas.label("strong" if row % 2 == 0 else "weak", view.left - 122, middle, Type(), alpha=alpha)


def _pairs(canvas: Canvas, at_s: float) -> None:
    grid(canvas, ROWS, view_between(WHOLE, CENTRED, eased(at_s, 0.2, 1.7)))
    canvas.outline(_pair_box(CENTRED, 0), alpha=eased(at_s, 1.8, 2.3), thickness=5)
    canvas.outline(_pair_box(CENTRED, 2), WARM, alpha=eased(at_s, 2.6, 3.1), thickness=5)


def _strong_and_weak(canvas: Canvas, at_s: float) -> None:
    grid(canvas, ROWS, CENTRED)
    _strengths(canvas, CENTRED, alpha=eased(at_s, 0.3, 0.8))
    canvas.outline(_pair_box(CENTRED, 0), thickness=5)
    canvas.outline(_pair_box(CENTRED, 2), WARM, thickness=5)


def _marked(canvas: Canvas, at_s: float) -> None:
    canvas.card(picture_of(ROWS[0][0], 420), Box(200, 70, 420, 420), alpha=eased(at_s, 0.0, 0.6))
    canvas.card(picture_of(ROWS[3][4], 420), Box(660, 70, 420, 420), alpha=eased(at_s, 0.0, 0.6))


def _all_five(canvas: Canvas, at_s: float) -> None:
    grid(canvas, ROWS, FIVE_PAIRS)
    for number in range(5):
        start_s = 0.3 + 0.4 * number
        alpha = eased(at_s, start_s, start_s + 0.4)
        box = FIVE_PAIRS.area((2 * number, 2 * number + 1), (0, N_COLUMNS - 1)).grown(5)
        canvas.outline(box, WARM if number % 2 else ACCENT, alpha=alpha, thickness=3)
        canvas.text(f"concept {number + 1}", (FIVE_PAIRS.left - 130, box.centre[1]), Type(), alpha=alpha)


def _beside_table(canvas: Canvas, at_s: float) -> None:
    view = view_between(CENTRED, PAIRS, eased(at_s, 0.2, 1.4))
    grid(canvas, ROWS, view)
    _strengths(canvas, view)
    verdicts(canvas, TABLE_LEFT, 0.0, width=TABLE_WIDTH, alpha=eased(at_s, 1.3, 1.9))


def _half(canvas: Canvas, n_known: float) -> None:
    grid(canvas, ROWS, PAIRS)
    _strengths(canvas, PAIRS)
    verdicts(canvas, TABLE_LEFT, n_known, width=TABLE_WIDTH)


def _compare(canvas: Canvas, at_s: float) -> None:
    _half(canvas, 0.0)
    row = along(((0.8, 0.0), (2.0, 1.0), (3.2, 1.0), (4.4, 0.0)), at_s)
    canvas.outline(PAIRS.area((row, row), (0, N_COLUMNS - 1)).grown(8), alpha=eased(at_s, 0.1, 0.5), thickness=5)


def _found(n_before: int, pairs: tuple[int, ...]) -> Drawing:
    """Mark pairs of rows, then show the next verdict."""

    def draw(canvas: Canvas, at_s: float) -> None:
        _half(canvas, n_before + eased(at_s, 3.0, 3.6))
        for pair in pairs:
            canvas.outline(_pair_box(PAIRS, pair), alpha=eased(at_s, 0.3, 0.8), thickness=5)

    return draw


def _known(canvas: Canvas, at_s: float) -> None:  # noqa: ARG001 -- nothing moves
    _half(canvas, 3.0)


FILM = Film(
    "explanation-concepts",
    "What does it rely on?",
    (
        *opening(ROWS),
        Shot(
            "Two rows belong together. They show one pattern that the system has learned: a concept.",
            _pairs,
            3.1,
            opens_chapter=True,
        ),
        Shot(
            "In the upper row, the system finds the concept strongly. In the lower row, it hardly does.",
            _strong_and_weak,
            0.8,
        ),
        Shot("The line marks the part that fits the concept best. The rest of the picture is dimmed.", _marked, 0.6),
        Shot("All five concepts are linked to the answer. The grid does not say to which of the two.", _all_five, 2.3),
        Shot(
            "Here is a made-up system. Only three things vary: background, bending and size.",
            _beside_table,
            1.9,
            opens_chapter=True,
        ),
        Shot("Compare two rows. What is marked, and how do the rows differ?", _compare, 4.4),
        Shot("The background is marked. It is dark above and bright below. So it is relevant.", _found(0, (0,)), 3.6),
        Shot(
            "Here the body is marked. It bends down above and up below. So bending is relevant, too.",
            _found(1, (2,)),
            3.6,
        ),
        Shot("There are large and small animals in every row. So size is irrelevant.", _found(2, (0, 2)), 3.6),
        Shot("A mark may cover only a part of what matters. Look at all rows before you decide.", _known),
        *closing(),
    ),
)
