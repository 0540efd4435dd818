"""Tune questions with dials from a pilot: when to offer the skip, and which agreement to count as a match.

Ross et al. (2021) set the skip to a round number of about twice the median time of solved questions, and chose the
threshold in pilots. What people reached in a pilot tells how often each lower threshold would have been met.
"""

from collections.abc import Iterable, Sequence
from math import floor
from statistics import median
from typing import NamedTuple

import numpy as np

from understudy.errors import UnderstudyError
from understudy.measures.dials.error_auc import PAUSE_S
from understudy.measures.dials.paths import dial_path, gaps_s
from understudy.schema import Event, Interacted

ROUND_S = 5
"""The skip is offered after a multiple of so many seconds."""
STEP = 0.01
LOWEST = 0.3
"""No lower threshold is proposed, unless the pilot's was lower: pictures that share less do not look alike."""


class PilotQuestion(NamedTuple):
    """One question of a pilot."""

    best: float
    """The highest agreement that was reached."""
    last: float
    """The agreement at the end."""
    solved_s: float | None
    """Active seconds to the match; None if the question was skipped."""
    threshold: float


class Reached(NamedTuple):
    """The share of questions that reached a threshold."""

    threshold: float
    share: float


class DialTuning(NamedTuple):
    """What a pilot says about one model."""

    name: str
    n_questions: int
    n_solved: int
    threshold: float
    """The threshold of the pilot."""
    solved_s: tuple[float, ...]
    median_s: float | None
    skip_after_s: int | None
    """The proposed time; None if nothing was solved."""
    reached: tuple[Reached, ...]
    proposed: float | None
    """The highest threshold that enough questions reached; None if none did."""
    n_near: int
    """Skipped questions that ended within 0.05 of the threshold."""


def pilot_question(events: Sequence[Event]) -> PilotQuestion | None:
    """Return what happened in one question, or None if no dials were turned."""
    path = dial_path(events)
    shown = [event.payload for event in events if isinstance(event, Interacted) and "agreement" in event.payload]
    agreements = [float(str(payload["agreement"])) for payload in shown]
    start = next((event.payload for event in events if isinstance(event, Interacted)), {})
    if path is None or not agreements or "threshold" not in start:
        return None
    until = (
        [snapshot.action for snapshot in path.snapshots].index("solved") if path.at_s("solved") is not None else None
    )
    active_s = None if until is None else float(np.minimum(gaps_s(path.snapshots)[:until], PAUSE_S).sum())
    return PilotQuestion(max(agreements), agreements[-1], active_s, float(str(start["threshold"])))


def tuned(name: str, questions: Iterable[PilotQuestion], *, share: float) -> DialTuning:
    """Propose the skip and the threshold for one model; `share` of all questions should be solvable.

    A page stops at a match, so nothing is known about thresholds above that of the pilot, and none is proposed.
    """
    held = list(questions)
    if not held:
        raise UnderstudyError(f"Nobody has turned the dials of {name} yet. Let a few people take part first.")
    threshold = min(question.threshold for question in held)
    solved = tuple(sorted(question.solved_s for question in held if question.solved_s is not None))
    lowest = min(LOWEST, threshold)
    steps = [round(lowest + STEP * k, 4) for k in range(floor((threshold - lowest) / STEP + 1e-9) + 1)]
    # A match counts a thousandth below the threshold, as on the page.
    reached = tuple(
        Reached(step, sum(question.best >= step - 0.001 for question in held) / len(held)) for step in steps
    )
    enough = [point.threshold for point in reached if point.share >= share]
    middle = median(solved) if solved else None
    return DialTuning(
        name, len(held), len(solved), threshold, solved, middle,
        None if middle is None else max(ROUND_S * round(2 * middle / ROUND_S), ROUND_S),
        reached, max(enough) if enough else None,
        sum(question.solved_s is None and question.last >= question.threshold - 0.05 for question in held),
    )  # fmt: skip
