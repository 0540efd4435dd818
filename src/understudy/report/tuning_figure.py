"""The tuning figure: how many questions of a pilot reached each threshold, and how long the solved ones took."""

from collections import Counter
from collections.abc import Sequence
from math import ceil
from pathlib import Path
from typing import Any

import altair as alt
import pandas as pd

from understudy.errors import UnderstudyError
from understudy.measures.dials.tuning import DialTuning
from understudy.report.figure_files import write_chart
from understudy.report.theme import LIGHT, SYNTHETIC

SUFFIXES = (".svg", ".png")
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
