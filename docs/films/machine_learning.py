"""The film on machine learning: a system learns from examples, and can rely on what it should not.

The example is a date in the corner of photos, which has nothing to do with anything that varies in the study.
"""

from PIL import Image

from films.canvas import Box, Canvas, Type
from films.easing import along, between, eased
from films.meter import INPUT, SYSTEM, Answers, answered, meter, system
from films.objects import house, house_and_tree, tree, with_date
from films.palette import ACCENT, SOFT, TITLE_SIZE, WARM, WIDTH
from films.timeline import Drawing, Film, Shot

ANSWERS = Answers("tree", "house")
EDGE = 188
N_COLUMNS = 5
STAMP = (0.48, 0.77, 0.5, 0.21)
"""Where the date is in a photo: left, top, width and height as shares."""


def _examples() -> tuple[tuple[str, Image.Image], ...]:
    houses = [with_date(house(EDGE, variant=variant)) for variant in range(N_COLUMNS)]
    trees = [tree(EDGE, variant=variant) for variant in range(N_COLUMNS)]
    return (*(("tree", picture) for picture in trees), *(("house", picture) for picture in houses))


def _example_box(number: int) -> Box:
    row, column = divmod(number, N_COLUMNS)
    left = (WIDTH - N_COLUMNS * (EDGE + 24) + 24) / 2
    return Box(left + column * (EDGE + 24), 34 + row * (EDGE + 68), EDGE, EDGE)


def _title(canvas: Canvas, at_s: float) -> None:
    rise = 24 * (1 - eased(at_s, 0.0, 1.0))
    canvas.text("Machines that learn", (WIDTH / 2, 116), Type(TITLE_SIZE, is_bold=True))
    for number in range(4):
        picture = tree(240, variant=number) if number % 2 == 0 else house(240, variant=number)
        canvas.card(picture, Box(112 + number * 272, 220 + rise, 240, 240))


def _two(canvas: Canvas, at_s: float) -> None:
    for left, picture, name in ((190, tree(400), "tree"), (690, house(400), "house")):
        canvas.card(picture, Box(left, 56, 400, 400))
        canvas.pill(name, (left + 200, 456), alpha=eased(at_s, 0.3, 0.8))


def _show_examples(canvas: Canvas, at_s: float) -> None:
    for number, (name, picture) in enumerate(_examples()):
        alpha = eased(at_s, 0.15 * number, 0.15 * number + 0.5)
        box = _example_box(number)
        canvas.picture(picture, box, alpha=alpha)
        canvas.text(name, (box.centre[0], box.top + EDGE + 30), alpha=alpha)


def _learn(canvas: Canvas, at_s: float) -> None:
    """Let the examples fly into the system one by one."""
    middle = WIDTH / 2, 250.0
    for number, (_, picture) in enumerate(_examples()):
        start_s = 0.4 + 0.28 * number
        share = eased(at_s, start_s, start_s + 1.1)
        box = _example_box(number)
        size = between(EDGE, 30, share)
        centre = between(box.centre[0], middle[0], share), between(box.centre[1], middle[1], share)
        if share < 1:
            canvas.picture(picture, Box(centre[0] - size / 2, centre[1] - size / 2, size, size), alpha=1 - share**3)
    swell = 8 * eased(at_s, 0.6, 2.0) * (1 - eased(at_s, 3.2, 4.2))
    leaves = eased(at_s, 4.4, 5.4)
    left = between(middle[0] - SYSTEM.width / 2, SYSTEM.left, leaves)
    at = Box(left, between(middle[1] - SYSTEM.height / 2, SYSTEM.top, leaves), SYSTEM.width, SYSTEM.height)
    system(canvas, at.grown(swell), alpha=eased(at_s, 0.0, 0.6))


def _answer(canvas: Canvas, picture: Image.Image, share: float, *, alpha: float = 1.0) -> None:
    answered(canvas, picture, ANSWERS, share, alpha=alpha)


def _new_picture(canvas: Canvas, at_s: float) -> None:
    _answer(canvas, tree(250, variant=6), along(((0.8, 0.5), (2.4, 0.25)), at_s), alpha=eased(at_s, 0.3, 0.8))


def _certainty(canvas: Canvas, at_s: float) -> None:
    share = along(((0.3, 0.25), (1.2, 0.1), (1.8, 0.1), (2.8, 0.5), (3.4, 0.5), (4.4, 0.9)), at_s)
    # Three photos one after the other: a tree, a tree next to a house, a house.
    fades = eased(at_s, 1.6, 2.2), eased(at_s, 3.2, 3.8)
    picture = Image.blend(tree(250, variant=6), house_and_tree(250), fades[0])
    _answer(canvas, Image.blend(picture, house(250, variant=1), fades[1]), share)


def _dates(canvas: Canvas, at_s: float) -> None:
    _show_examples(canvas, 9.0)
    for number in range(N_COLUMNS, 2 * N_COLUMNS):
        box = _example_box(number)
        left, top, width, height = STAMP
        frame = Box(box.left + left * EDGE, box.top + top * EDGE, width * EDGE, height * EDGE)
        canvas.outline(frame, WARM, alpha=eased(at_s, 0.5 + 0.2 * number - 1, 1.0 + 0.2 * number - 1), thickness=5)


def _rule(canvas: Canvas, at_s: float) -> None:
    canvas.card(with_date(house(360, variant=1)), Box(190, 96, 360, 360))
    left, top, width, height = STAMP
    canvas.outline(Box(190 + left * 360, 96 + top * 360, width * 360, height * 360), WARM)
    shown = eased(at_s, 0.4, 1.0)
    canvas.arrow((600, 276), 60 + 40 * shown, alpha=shown)
    canvas.pill("date means house", (920, 276), fill=WARM, alpha=shown)


def _tree_with_date(canvas: Canvas, at_s: float) -> None:
    plain = tree(250, variant=6)
    share = along(((1.2, 0.1), (2.8, 0.93)), at_s)
    _answer(canvas, with_date(plain, eased(at_s, 0.3, 0.9)), share)


def _toggled(canvas: Canvas, at_s: float) -> None:
    shown = along(((0.5, 1.0), (1.3, 0.0), (3.6, 0.0), (4.4, 1.0)), at_s)
    share = along(((0.9, 0.93), (2.2, 0.1), (4.0, 0.1), (5.3, 0.93)), at_s)
    _answer(canvas, with_date(tree(250, variant=6), shown), share)
    canvas.pill("date: relevant", (1090, 171), alpha=eased(at_s, 5.0, 5.5))


def _moved(canvas: Canvas, at_s: float) -> None:
    x = along(((0.5, 0.0), (2.0, -1.4), (3.8, 1.4), (5.0, 0.0)), at_s)
    _answer(canvas, tree(250, variant=6, x=round(x, 2)), 0.1)
    canvas.pill("position: irrelevant", (1090, 171), fill=SOFT, alpha=eased(at_s, 4.8, 5.3))


def _bias(canvas: Canvas, at_s: float) -> None:
    canvas.card(with_date(tree(360, variant=6)), Box(190, 96, 360, 360))
    left, top, width, height = STAMP
    canvas.outline(Box(190 + left * 360, 96 + top * 360, width * 360, height * 360), WARM)
    canvas.text("bias", (890, 230), Type(TITLE_SIZE, WARM, is_bold=True), alpha=eased(at_s, 0.2, 0.8))
    canvas.text("relying on the wrong thing", (890, 320), Type(42), alpha=eased(at_s, 0.7, 1.3))


def _definition(word: str, line: str, stops: tuple[tuple[float, float], ...]) -> Drawing:
    def draw(canvas: Canvas, at_s: float) -> None:
        fill = ACCENT if word == "relevant" else SOFT
        canvas.text(word, (WIDTH / 2, 110), Type(TITLE_SIZE, fill, is_bold=True), alpha=eased(at_s, 0.1, 0.6))
        canvas.text(line, (WIDTH / 2, 200), Type(42), alpha=eased(at_s, 0.5, 1.0))
        meter(canvas, ANSWERS, along(stops, at_s))

    return draw


def _reasons(canvas: Canvas, at_s: float) -> None:
    system(canvas, Box(800, 96, 260, 370))
    reasons = (("windows", ACCENT, 130), ("branches", ACCENT, 280), ("date", WARM, 430))
    for number, (name, fill, middle) in enumerate(reasons):
        shown = eased(at_s, 0.3 + 0.5 * number, 0.8 + 0.5 * number)
        canvas.pill(name, (350, middle), fill=fill, alpha=shown)
        canvas.arrow((500, middle), 130 + 130 * shown, fill=fill, alpha=shown)


def _pairs(canvas: Canvas, at_s: float) -> None:
    """Show that the answers to usual photos are right."""
    for number, (name, picture) in enumerate(_examples()):
        box = _example_box(number)
        canvas.picture(picture, box)
        alpha = eased(at_s, 0.3 + 0.15 * number, 0.7 + 0.15 * number)
        canvas.text(
            f"{name}: right", (box.centre[0], box.top + EDGE + 30), Type(fill=ACCENT, is_bold=True), alpha=alpha
        )


def _search(canvas: Canvas, at_s: float) -> None:
    system(canvas)
    canvas.arrow((INPUT.left + INPUT.width + 16, SYSTEM.centre[1]), 78)
    canvas.text("?", INPUT.centre, Type(170, ACCENT, is_bold=True), alpha=eased(at_s, 0.3, 0.9))
    canvas.text("What does it rely on?", (WIDTH / 2, 400), Type(52, is_bold=True), alpha=eased(at_s, 0.6, 1.2))


FILM = Film(
    "machine-learning",
    "Machines that learn",
    (
        Shot("Some computer systems learn to sort pictures.", _title, 1.0, opens_chapter=True),
        Shot("This one will learn to tell trees from houses.", _two, 0.8),
        Shot("Nobody gives it rules. It gets many examples, each with the right answer.", _show_examples, 2.0),
        Shot("From these examples it works out by itself what to look at.", _learn, 5.4),
        Shot("Then it gets a new picture and gives its answer.", _new_picture, 2.4),
        Shot("It also tells us how certain it is.", _certainty, 4.5, looks_s=0.4),
        Shot(
            "But a system can learn the wrong thing. Look at the houses: each photo has a date in the corner.",
            _dates,
            2.0,
            opens_chapter=True,
        ),
        Shot("The camera used for the houses printed it. The system has learned: a date means house.", _rule, 1.0),
        Shot(
            "Now it gets a tree with a date. It says house. It is very certain, and it is wrong.", _tree_with_date, 2.8
        ),
        Shot(
            "If a system relies on something that it should not use, we call this a bias.",
            _bias,
            1.3,
        ),
        Shot("A biased system can still be right most of the time. So a bias is easy to miss.", _pairs, 2.2),
        Shot(
            "If the answer of the system depends on a thing, we call that thing relevant.",
            _definition("relevant", "the answer depends on it", ((1.0, 0.1), (2.4, 0.9), (3.0, 0.9), (4.4, 0.1))),
            4.4,
            opens_chapter=True,
        ),
        Shot(
            "Without the date, the answer is tree. With the date, it is house. So the date is relevant.", _toggled, 5.5
        ),
        Shot(
            "If the answer does not depend on a thing, we call it irrelevant.",
            _definition("irrelevant", "the answer does not depend on it", ((0.0, 0.1), (1.0, 0.1))),
            1.0,
        ),
        Shot("Here we move the tree. The answer stays the same. So the position is irrelevant.", _moved, 5.3),
        Shot(
            "A system can rely on one thing or on many. Some may be good reasons, others may be biases.",
            _reasons,
            1.9,
        ),
        Shot("Soon you will see how another system answers. Your task: find out what it relies on.", _search, 1.2),
    ),
)
