"""Habits of people who turn dials: how fast they move, look and decide, and when they give up."""

from math import log2

import numpy as np
from pydantic import Field

from understudy.participants.dials.hand import FRAME_MS, Hand
from understudy.roles import Floats, Rng
from understudy.schema import Record

REACH_MS, BIT_MS = 150.0, 120.0
"""Fitts' law for a pointer: a start, and so much for each bit of difficulty."""


class Habits(Record):
    """Times and patience. All are assumptions, stated so that they can be changed and fitted."""

    pace_s: float = Field(default=1.5, gt=0)
    """Seconds to draw a dial across its width while watching what happens."""
    glance_ms: float = Field(default=250.0, gt=0)
    """Time between two looks at the picture or the number during a movement."""
    think_ms: float = Field(default=500.0, ge=0)
    """Time to decide on the next dial."""
    check_ms: float = Field(default=400.0, ge=0)
    """Time to look again once a dial stands still."""
    aim: float = Field(default=0.01, gt=0, le=1)
    """Standard deviation of where a dial is let go, in widths."""
    explores: float = Field(default=1.0, ge=0, le=1)
    """Chance to draw a dial through its whole range when it is met for the first time in a question."""
    restarts: float = Field(default=0.0, ge=0, le=1)
    """Chance to put a dial somewhere else and begin anew after a round of all dials that made nothing look better."""
    give_up: float = Field(default=0.15, gt=0, le=1)
    """Chance to skip at each look back, once the page offers it."""
    names: float = Field(default=0.5, ge=0, le=1)
    """Chance to name a dial that was moved, at the end of a question, where the page has fields for names."""
    name_ms: float = Field(default=3000.0, ge=0)
    """Time to write a name."""
    click_ms: float = Field(default=800.0, ge=0)
    """Time to notice that the question is done and to press the button."""


def pause(hand: Hand, median_ms: float, rng: Rng) -> None:
    """Let a moment pass that is never twice the same."""
    hand.wait(median_ms * float(np.exp(0.3 * rng.standard_normal())))


def gives_up(hand: Hand, habits: Habits, rng: Rng) -> bool:
    """Tell whether the person takes the offer to skip, if there is one."""
    return hand.is_offered and rng.random() < habits.give_up


def reach(hand: Hand, dial: int, value: float, habits: Habits, rng: Rng) -> None:
    """Move a dial straight to a value, as fast as Fitts' law allows, and land near it."""
    one = hand.page.dials[dial]
    if one.kind == "discrete":
        if hand.value(dial) != value:
            hand.drag(dial, np.array([value]), frame_ms=REACH_MS + 4 * BIT_MS)
        return
    wanted = float(np.clip(value + habits.aim * one.width * rng.standard_normal(), one.low, one.high))
    here = hand.value(dial)
    distance = abs(wanted - here) / one.width
    lasts_ms = REACH_MS + BIT_MS * log2(1 + distance / (2 * habits.aim))
    shares = np.linspace(0, 1, max(int(lasts_ms / FRAME_MS), 2) + 1)[1:]
    hand.drag(dial, here + (wanted - here) * (3 * shares**2 - 2 * shares**3))


def way_across(hand: Hand, dial: int, to: float, seconds_per_width: float) -> Floats:
    """Return the values on the way to another one at a steady pace, one a frame."""
    here, width = hand.value(dial), hand.page.dials[dial].width
    n = int(np.ceil(abs(to - here) / width * seconds_per_width * 1000 / FRAME_MS))
    result: Floats = np.linspace(here, to, n + 1)[1:]
    return result
