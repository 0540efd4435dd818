"""The film about the two animals: eight blocks, one pair of legs that slides, and what else varies."""

import math
from collections.abc import Callable

import numpy as np

from films.animals import FIXED, SLIDING, SPINE, Drawn, animal, box_of, contour_of, wide
from films.canvas import Box, Canvas, Type
from films.easing import along, between, eased
from films.palette import ACCENT, TITLE_SIZE, WARM, WIDTH
from films.timeline import Drawing, Film, Shot
from understudy.worlds.two4two import Two4Two

HERO = Box(260, 56, 760, 470)
LEFT, RIGHT = Box(130, 96, 480, 400), Box(670, 96, 480, 400)
PLAIN = Two4Two(legs=0.0, hue=0.5, background=0.3, shape=0.25, red_share=0.9)
SMALLER = 0.78
"""The size of an animal that turns, so that it stays inside the picture."""
WALL_COLUMNS, WALL_ROWS, WALL_EDGE = 6, 3, 148


def _look(**changes: float) -> Two4Two:
    return PLAIN.model_copy(update=changes)


def _hero(canvas: Canvas, look: Two4Two, *, n_blocks: float = 8.0, size: float = 1.0) -> Drawn:
    shown = wide(animal(look, round(HERO.width), n_blocks=n_blocks, size=size), round(HERO.height))
    canvas.card(shown.picture, HERO)
    return shown


def _mark(canvas: Canvas, shown: Drawn, blocks: tuple[int, ...], *, at: Box = HERO, alpha: float = 1.0) -> Box:
    fill = WARM if blocks == SLIDING else ACCENT
    canvas.stamp(contour_of(shown, blocks), (at.left, at.top), fill, alpha=alpha)
    return box_of(shown, blocks, at)


def _title(canvas: Canvas, at_s: float) -> None:
    rise = 24 * (1 - eased(at_s, 0.0, 1.0))
    canvas.text("Peeky and Stretchy", (WIDTH / 2, 116), Type(TITLE_SIZE, is_bold=True))
    for box, legs in ((LEFT, 0.0), (RIGHT, 1.0)):
        at = Box(box.left, 190 + rise, box.width, 330)
        canvas.card(wide(animal(_look(legs=legs), 480), 330).picture, at)


def _blocks(canvas: Canvas, at_s: float) -> None:
    # One block every third of a second, each growing while the next one starts.
    _hero(canvas, _look(legs=0.0), n_blocks=along(((0.4, 0.05), (3.6, 8.0)), at_s) if at_s < 3.6 else 8.0)


def _spine(canvas: Canvas, at_s: float) -> None:
    _mark(canvas, _hero(canvas, _look()), SPINE, alpha=eased(at_s, 0.3, 0.8))


def _pairs(canvas: Canvas, at_s: float) -> None:
    shown = _hero(canvas, _look())
    _mark(canvas, shown, FIXED, alpha=eased(at_s, 0.3, 0.8))
    _mark(canvas, shown, SLIDING, alpha=eased(at_s, 1.0, 1.5))


def _fixed(canvas: Canvas, at_s: float) -> None:
    box = _mark(canvas, _hero(canvas, _look()), FIXED)
    canvas.pill("fixed", (box.centre[0], HERO.top), alpha=eased(at_s, 0.3, 0.8))


def _slide(stops: tuple[tuple[float, float], ...], name: str = "") -> Drawing:
    def draw(canvas: Canvas, at_s: float) -> None:
        legs = along(stops, at_s)
        box = _mark(canvas, _hero(canvas, _look(legs=legs)), SLIDING)
        canvas.pill("slides", (box.centre[0], HERO.top), fill=WARM)
        if name:
            last_s = stops[-1][0]
            canvas.pill(name, (HERO.centre[0], HERO.top + HERO.height - 14), alpha=eased(at_s, last_s - 0.4, last_s))

    return draw


def _both(canvas: Canvas, at_s: float) -> None:
    for box, legs, name in ((LEFT, 0.0, "Peeky"), (RIGHT, 1.0, "Stretchy")):
        shown = wide(animal(_look(legs=legs), 480), 400)
        canvas.card(shown.picture, box)
        _mark(canvas, shown, SLIDING, at=box, alpha=eased(at_s, 0.4, 0.9))
        canvas.pill(name, (box.centre[0], box.top + box.height))


def _varies(name: str, look_at: Callable[[float], Two4Two]) -> Drawing:
    def draw(canvas: Canvas, at_s: float) -> None:
        _hero(canvas, look_at(at_s), size=SMALLER)
        canvas.pill(name, (HERO.centre[0], HERO.top), alpha=eased(at_s, 0.2, 0.6))

    return draw


def _smaller(canvas: Canvas, at_s: float) -> None:
    share = eased(at_s, 0.0, 1.4)
    _hero(canvas, _look(legs=between(0.58, 0.2, share)), size=between(1.0, SMALLER, share))


def _to_and_fro(name: str, low: float, high: float, *, legs: float = 0.2) -> Callable[[float], Two4Two]:
    middle = float(getattr(PLAIN, name))
    stops = ((0.3, middle), (1.7, low), (4.3, high))
    return lambda at_s: _look(legs=legs, **{name: along(stops, at_s)})


def _turned(at_s: float) -> Two4Two:
    return _look(
        legs=0.2, yaw=along(((0.3, 0.0), (3.2, 0.8 * math.pi)), at_s), pitch=along(((3.0, 0.0), (4.4, 0.4)), at_s)
    )


def _wall(canvas: Canvas, at_s: float) -> None:
    # Every attribute is drawn on its own here: the film must not show how they go together in a study.
    rng = np.random.default_rng(7)
    left = (WIDTH - WALL_COLUMNS * (WALL_EDGE + 16) + 16) / 2
    for row in range(WALL_ROWS):
        for column in range(WALL_COLUMNS):
            shares = rng.uniform(size=8)
            look = Two4Two(
                legs=float(shares[0]), hue=float(shares[1]), shape=float(shares[2]), background=float(between(0.05, 0.9, shares[3])),
                yaw=float(between(0, 2 * math.pi, shares[4])), pitch=float(between(-0.5, 0.5, shares[5])),
                bending=float(between(-0.3, 0.3, shares[6])), red_share=0.9,
            )  # fmt: skip
            start_s = 0.1 * (row + column)
            alpha = eased(at_s, start_s, start_s + 0.5)
            box = Box(left + column * (WALL_EDGE + 16), 44 + row * (WALL_EDGE + 16), WALL_EDGE, WALL_EDGE)
            canvas.picture(animal(look, WALL_EDGE).picture, box, alpha=alpha)


def _puzzle(look: Two4Two, answer: str = "") -> Drawing:
    def draw(canvas: Canvas, at_s: float) -> None:
        box = Box(405, 50, 470, 470)
        shown = animal(look, 470)
        canvas.card(shown.picture, box)
        alpha = eased(at_s, 0.3, 0.8)
        if answer:
            for blocks in (FIXED, SLIDING):
                _mark(canvas, shown, blocks, at=box, alpha=alpha)
            canvas.pill(answer, (1040, 285), alpha=alpha)
        else:
            canvas.text("?", (1040, 285), Type(150, ACCENT, is_bold=True), alpha=alpha)

    return draw


FIRST = Two4Two(legs=0.95, hue=0.12, background=0.62, shape=0.9, yaw=0.95, bending=0.12)
SECOND = Two4Two(legs=0.08, hue=0.42, background=0.8, shape=0.1, yaw=3.9, bending=-0.2)
FILM = Film(
    "peeky-and-stretchy",
    "Peeky and Stretchy",
    (
        Shot("Meet two animals: Peeky and Stretchy.", _title, 1.0, opens_chapter=True),
        Shot("Each animal is made of eight blocks.", _blocks, 3.7),
        Shot("Four blocks in a row form the spine.", _spine, 0.8),
        Shot("The other four blocks are the legs. They come in two pairs.", _pairs, 1.5),
        Shot("One pair is fixed. It sits just outside one end of the spine.", _fixed, 0.8, opens_chapter=True),
        Shot(
            "The other pair can slide along the spine.",
            _slide(((0.3, 0.0), (1.8, 1.0), (3.2, 0.0), (4.4, 0.5))),
            4.4,
        ),
        Shot(
            "If it slides inwards, the end of the spine peeks out between the legs. This is a Peeky.",
            _slide(((0.6, 0.5), (2.2, 0.0)), "Peeky"),
            2.2,
        ),
        Shot(
            "If it slides outwards, the legs stretch out past the end of the spine. This is a Stretchy.",
            _slide(((0.6, 0.0), (2.8, 1.0)), "Stretchy"),
            2.8,
        ),
        Shot("So the sliding pair tells you which animal you see.", _both, 0.9),
        Shot(
            "Sometimes the legs are about half way. Then it is hard to tell.",
            _slide(((0.3, 1.0), (1.8, 0.5), (3.0, 0.42), (4.4, 0.58))),
            4.4,
        ),
        Shot(
            "The pictures differ in other ways, too.",
            _smaller,
            1.4,
            opens_chapter=True,
        ),
        Shot(
            "The colour of the animal can be anything from blue to red.",
            _varies("Colour", _to_and_fro("hue", 0.0, 1.0)),
            4.3,
        ),
        Shot("Its blocks can be square or round.", _varies("Blocks", _to_and_fro("shape", 0.0, 1.0)), 4.3),
        Shot(
            "The background can be anything from blue to red as well.",
            _varies("Background", _to_and_fro("background", 0.05, 0.95)),
            4.3,
        ),
        Shot("The animal can be turned in any direction.", _varies("Rotation", _turned), 4.4),
        Shot(
            "And its body can bend, one way or the other.", _varies("Bending", _to_and_fro("bending", -0.36, 0.36)), 4.3
        ),
        Shot("You will see many mixtures of all this.", _wall, 1.4, looks_s=1.0),
        Shot(
            "Which animal is this? Find the spine and both pairs of legs.",
            _puzzle(FIRST),
            0.8,
            opens_chapter=True,
            looks_s=2.0,
        ),
        Shot("It is a Stretchy. Both pairs of legs are outside the spine.", _puzzle(FIRST, "Stretchy"), 0.8),
        Shot("And which animal is this?", _puzzle(SECOND), 0.8, looks_s=2.5),
        Shot("It is a Peeky. The spine peeks out between one pair of legs.", _puzzle(SECOND, "Peeky"), 0.8),
        Shot("To name an animal, look at its legs. All the rest can vary.", _both, 0.9),
    ),
)
