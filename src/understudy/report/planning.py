"""Figures and tables for planning: power over sizes and effects, and what a pilot suggests."""

from collections import Counter
from collections.abc import Iterable, Sequence
from math import ceil, floor
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import altair as alt
import numpy as np
import pandas as pd

from understudy.errors import UnderstudyError
from understudy.measures.dial_paths import dial_path, gaps_s
from understudy.measures.dials import PAUSE_S
from understudy.report.drawing import write_chart
from understudy.report.theme import LIGHT, SYNTHETIC
from understudy.schema import Event, Interacted, PowerPoint

SUFFIXES = (".svg", ".png")


def write_power_figure(points: Sequence[PowerPoint], path: Path, *, target: float = 0.8) -> Path:
    """Draw power against size: a line for each effect, a panel for each hypothesis and each number of items."""
    if path.suffix not in SUFFIXES:
        raise UnderstudyError(f"{path.name} ends in {path.suffix or 'nothing'!r}; draw to {' or '.join(SUFFIXES)}.")
    return write_chart(power_chart(points, target=target), path)


def power_chart(points: Sequence[PowerPoint], *, target: float = 0.8) -> alt.FacetChart:
    """Return the chart itself, for a notebook."""
    frame = pd.DataFrame(
        [{**point.model_dump(), "effect": f"{point.effect:g}", "panel": _panel(point)} for point in points]
    )
    x = alt.X("quota:Q", title="Completed participants per condition", scale=alt.Scale(zero=False, padding=12))
    hue = alt.Color("effect:N", title="Effect")
    # Layers have no data of their own: theirs would replace a panel's part of the frame by all of it.
    lines = alt.Chart().mark_line(point=alt.OverlayMarkDef(size=45)).encode(
        x, alt.Y("power:Q", title="Power", scale=alt.Scale(domain=[0, 1])), hue
    )  # fmt: skip
    spans = alt.Chart().mark_rule().encode(x, alt.Y("low:Q"), alt.Y2("high:Q"), hue)
    goal = alt.Chart().mark_rule(strokeDash=[4, 4], color=LIGHT.line).encode(y=alt.datum(target))
    # One panel is narrower than the whole sentence, which would be cut off.
    mark, meaning = SYNTHETIC.split(" — ")
    return (
        alt.layer(goal, lines, spans, data=frame)
        .properties(width=320, height=220)
        .facet(
            alt.Facet("panel:N", title=None, sort=list(dict.fromkeys(frame["panel"]))),
            columns=2,
            title=alt.Title(mark, subtitle=meaning),
        )
    )


def _panel(point: PowerPoint) -> str:
    return point.hypothesis_id if point.n_items is None else f"{point.hypothesis_id}, {point.n_items} items"


# Tune questions with dials from a pilot: when to offer the skip, and which agreement to count as a match.
#
# Ross et al. (2021) set the skip to a round number of about twice the median time of solved questions, and chose the
# threshold in pilots. What people reached in a pilot tells how often each lower threshold would have been met.

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


# The tuning figure: how many questions of a pilot reached each threshold, and how long the solved ones took.

BIN_S = 5
MOST_BARS = 12
"""Bars become wider instead of more numerous, so that the numbers below them can be read."""
MOST_TICKS = 6


def write_tuning_figure(tunings: Sequence[DialTuning], path: Path, *, share: float, is_synthetic: bool) -> Path:
    """Draw two panels for each model, with the proposals as dashed lines."""
    rows = [alt.hconcat(_thresholds(tuning, share), _times(tuning)) for tuning in tunings]
    return write_chart(alt.vconcat(*rows, title=SYNTHETIC if is_synthetic else "Pilot"), path)


def require_drawable(path: Path) -> None:
    """Raise an error unless a figure can be written to this file."""
    if path.suffix not in SUFFIXES:
        raise UnderstudyError(f"{path.name} ends in {path.suffix or 'nothing'!r}; draw to {' or '.join(SUFFIXES)}.")
    if not path.absolute().parent.is_dir():
        raise UnderstudyError(f"{path.parent} is not a folder. Make it, or name another file for the figure.")


def _thresholds(tuning: DialTuning, share: float) -> Any:
    frame = pd.DataFrame(tuning.reached, columns=["threshold", "share"])
    x = alt.X("threshold:Q", title="Threshold (agreement)", scale=alt.Scale(zero=False))
    line = alt.Chart(frame).mark_line().encode(
        x, alt.Y("share:Q", title="Questions that reach it", scale=alt.Scale(domain=[0, 1]))
    )  # fmt: skip
    goal = alt.Chart().mark_rule(strokeDash=[4, 4], color=LIGHT.line).encode(y=alt.datum(share))
    return alt.layer(line, goal, *_proposal(tuning.proposed)).properties(width=260, height=180, title=tuning.name)


def _times(tuning: DialTuning) -> Any:
    starts, width_s = solved_bins(tuning)
    frame = pd.DataFrame(
        {"start": list(starts), "end": [start + width_s for start in starts], "solved": list(starts.values())}
    )
    top, end_s = max(starts.values(), default=1), max([*frame["end"], tuning.skip_after_s or 0, BIN_S])
    counts = alt.Axis(values=list(range(0, top + 1, ceil(top / MOST_TICKS))), format="d")
    bars = alt.Chart(frame).mark_bar(binSpacing=1).encode(
        alt.X(
            "start:Q", title="Active seconds to the match", bin="binned", scale=alt.Scale(domain=[0, end_s]),
            axis=alt.Axis(tickCount=MOST_TICKS),
        ),
        alt.X2("end:Q"),
        alt.Y("solved:Q", title="Solved questions", scale=alt.Scale(domain=[0, top]), axis=counts),
        alt.Y2(datum=0),
    )  # fmt: skip
    return alt.layer(bars, *_proposal(tuning.skip_after_s)).properties(width=260, height=180)


def solved_bins(tuning: DialTuning) -> tuple[dict[int, int], int]:
    """Return how many questions were solved from each second on, and how many seconds a bar is wide."""
    width_s = BIN_S * max(1, ceil(max(tuning.solved_s, default=0) / (BIN_S * MOST_BARS)))
    counts = Counter(width_s * int(seconds // width_s) for seconds in tuning.solved_s)
    return dict(sorted(counts.items())), width_s


def _proposal(value: float | None) -> list[Any]:
    return [] if value is None else [alt.Chart().mark_rule(strokeDash=[2, 2]).encode(x=alt.datum(value))]
