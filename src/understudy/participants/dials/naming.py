"""Naming dials: a simulated person names what changes most when a dial is turned."""

import numpy as np

from understudy.participants.dials.habits import Habits, pause
from understudy.participants.dials.hand import Hand
from understudy.roles import Floats, Rng

PICTURE_WORDS = ("thickness", "left or right", "up or down", "width", "height")
LINE_WORDS = ("height", "tilt", "waves")
CHOICE_WORD = "kind of picture"
NAMING_DOUBT = 0.3
"""Standard deviation of the perceived changes, as a share of the largest."""


def name_dials(hand: Hand, habits: Habits, rng: Rng) -> None:
    """Name some of the dials that were moved; names are optional."""
    touched = {trace.payload["dial"] for trace in hand.traces if trace.action == "changed"}
    for dial in range(len(hand.page.dials)):
        if dial in touched and rng.random() < habits.names:
            pause(hand, habits.name_ms, rng)
            hand.write_label(dial, name_of(hand, dial, rng))


def name_of(hand: Hand, dial: int, rng: Rng) -> str:
    """Return the word for what changes most from one end of a dial to the other, perceived with noise."""
    spec = hand.page.dials[dial]
    if spec.kind == "discrete":
        return CHOICE_WORD
    ends = hand.page.look(hand.page.codes_along(hand.code, dial, np.array([spec.low, spec.high]))).outputs
    shape = hand.page.shape
    is_picture = len(shape) == 2
    before, after = (_picture(row.reshape(shape)) if is_picture else _line(row) for row in ends)
    changes = np.abs(after - before)
    felt = changes + NAMING_DOUBT * changes.max() * rng.standard_normal(len(changes))
    return (PICTURE_WORDS if is_picture else LINE_WORDS)[int(felt.argmax())]


def _picture(pixels: Floats) -> Floats:
    """Return the amount of ink, its centre and its spread, all as shares of the picture."""
    # The small constant keeps an empty picture from dividing by zero.
    ink = np.clip(pixels, 0, None) + 1e-9
    total = ink.sum()
    down, right = (np.linspace(0, 1, n) for n in pixels.shape)
    columns, rows = ink.sum(axis=0) / total, ink.sum(axis=1) / total
    x, y = columns @ right, rows @ down
    wide, high = np.sqrt(columns @ (right - x) ** 2), np.sqrt(rows @ (down - y) ** 2)
    result: Floats = np.array([total / pixels.size, x, y, wide, high])
    return result


def _line(values: Floats) -> Floats:
    """Return the height of a line, its slope, and its deviation from a straight line."""
    along = np.linspace(-1, 1, len(values))
    rise = float(values @ along / (along @ along))
    result: Floats = np.array([values.mean(), rise, (values - values.mean() - rise * along).std()])
    return result
