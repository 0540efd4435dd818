"""Habits of people who turn dials: how fast they move, look and decide, and when they give up."""

from math import log2

import numpy as np
from pydantic import Field

from understudy.participants.dials.hand import FRAME_MS, Hand
from understudy.roles import Floats, Rng
from understudy.schema import Record

REACH_MS, BIT_MS = 150.0, 120.0
"""Fitts' law for a pointer: a constant, and an amount per bit of difficulty."""
LAST_DOUBT = 0.1
"""The share of the chance to skip that is left just below the threshold."""


class Habits(Record):
    """Times and patience; all are assumptions that can be changed and fitted."""

    pace_s: float = Field(default=1.5, gt=0)
    """Seconds to drag a dial across its width while watching the picture."""
    glance_ms: float = Field(default=250.0, gt=0)
    """Time between two looks at the picture or the number during a movement."""
    think_ms: float = Field(default=500.0, ge=0)
    """Time to decide on the next dial."""
    check_ms: float = Field(default=400.0, ge=0)
    """Time to look again after a dial has stopped."""
    aim: float = Field(default=0.01, gt=0, le=1)
    """Standard deviation of the position where a dial is released, in widths."""
    explores: float = Field(default=1.0, ge=0, le=1)
    """Chance to drag a dial through its whole range on the first visit in a question."""
    restarts: float = Field(default=0.0, ge=0, le=1)
    """Chance to put a dial somewhere else and start over after a round of all dials without improvement."""
    give_up: float = Field(default=0.15, gt=0, le=1)
    """Chance to skip at each decision, once the page offers it."""
    hope: float = Field(default=0.0, ge=0, le=1)
    """How far below the threshold the printed agreement must be for the full chance to skip; nearer, it shrinks."""
    names: float = Field(default=0.5, ge=0, le=1)
    """Chance to name a dial that was moved, at the end of a question, if the page has name fields."""
    name_ms: float = Field(default=3000.0, ge=0)
    """Time to write a name."""
    click_ms: float = Field(default=800.0, ge=0)
    """Time to notice that the question is solved and to press the button."""


def pause(hand: Hand, median_ms: float, rng: Rng) -> None:
    """Wait for a random time with this median."""
    hand.wait(median_ms * float(np.exp(0.3 * rng.standard_normal())))


def gives_up(hand: Hand, habits: Habits, rng: Rng) -> bool:
    """Return whether the person accepts an offer to skip."""
    if not hand.is_offered:
        return False
    lack = hand.page.threshold - hand.agreement
    # Nobody skips as readily at 89 % as at 20 %, but even there some do.
    share = float(np.clip(lack / habits.hope, LAST_DOUBT, 1)) if habits.hope else 1.0
    return bool(rng.random() < habits.give_up * share)


def reach(hand: Hand, dial: int, value: float, habits: Habits, rng: Rng) -> None:
    """Move a dial directly to a value, as fast as Fitts' law allows, and land close to it."""
    spec = hand.page.dials[dial]
    if spec.kind == "discrete":
        if hand.value(dial) != value:
            hand.drag(dial, np.array([value]), frame_ms=REACH_MS + 4 * BIT_MS)
        return
    wanted = float(np.clip(value + habits.aim * spec.width * rng.standard_normal(), spec.low, spec.high))
    here = hand.value(dial)
    distance = abs(wanted - here) / spec.width
    # Shannon's form of the index of difficulty (MacKenzie 1992), with a target two standard deviations of aim wide.
    lasts_ms = REACH_MS + BIT_MS * log2(1 + distance / (2 * habits.aim))
    shares = np.linspace(0, 1, max(int(lasts_ms / FRAME_MS), 2) + 1)[1:]
    # The smoothstep polynomial: the hand accelerates and brakes.
    hand.drag(dial, here + (wanted - here) * (3 * shares**2 - 2 * shares**3))


def steady_path(hand: Hand, dial: int, to: float, seconds_per_width: float) -> Floats:
    """Return the values from here to another at a steady pace, one per frame."""
    here, width = hand.value(dial), hand.page.dials[dial].width
    n = int(np.ceil(abs(to - here) / width * seconds_per_width * 1000 / FRAME_MS))
    result: Floats = np.linspace(here, to, n + 1)[1:]
    return result
