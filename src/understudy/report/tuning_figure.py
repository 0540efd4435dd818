"""The tuning figure: how many questions of a pilot reached each threshold, and how long the solved ones took."""

from collections.abc import Sequence
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


def write_tuning_figure(tunings: Sequence[DialTuning], path: Path, *, share: float, is_synthetic: bool) -> Path:
    """Draw two panels for each model, with the proposals as dashed lines."""
    if path.suffix not in SUFFIXES:
        raise UnderstudyError(f"{path.name} ends in {path.suffix or 'nothing'!r}; draw to {' or '.join(SUFFIXES)}.")
    rows = [alt.hconcat(_thresholds(tuning, share), _times(tuning)) for tuning in tunings]
    return write_chart(alt.vconcat(*rows, title=SYNTHETIC if is_synthetic else "Pilot"), path)


def _thresholds(tuning: DialTuning, share: float) -> Any:
    frame = pd.DataFrame(tuning.reached, columns=["threshold", "share"])
    x = alt.X("threshold:Q", title="Threshold (agreement)", scale=alt.Scale(zero=False))
    line = alt.Chart(frame).mark_line().encode(
        x, alt.Y("share:Q", title="Questions that reach it", scale=alt.Scale(domain=[0, 1]))
    )  # fmt: skip
    goal = alt.Chart().mark_rule(strokeDash=[4, 4], color=LIGHT.line).encode(y=alt.datum(share))
    return alt.layer(line, goal, *_proposal(tuning.proposed)).properties(width=260, height=180, title=tuning.name)


def _times(tuning: DialTuning) -> Any:
    frame = pd.DataFrame({"seconds": tuning.solved_s})
    top = max(*tuning.solved_s, tuning.skip_after_s or 0, BIN_S) if tuning.solved_s else BIN_S
    x = alt.X(
        "seconds:Q",
        bin=alt.Bin(step=BIN_S, extent=[0, BIN_S * (top // BIN_S + 1)]),
        title="Active seconds to the match",
    )
    bars = alt.Chart(frame).mark_bar().encode(
        x, alt.Y("count()", title="Solved questions", axis=alt.Axis(tickMinStep=1, format="d"))
    )  # fmt: skip
    return alt.layer(bars, *_proposal(tuning.skip_after_s)).properties(width=260, height=180)


def _proposal(value: float | None) -> list[Any]:
    return [] if value is None else [alt.Chart().mark_rule(strokeDash=[2, 2]).encode(x=alt.datum(value))]
