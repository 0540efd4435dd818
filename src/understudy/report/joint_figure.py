"""Joint distributions of a world: one attribute against others, for each class, as Fig. 3 of Sixt et al. (2022)."""

from collections.abc import Mapping
from pathlib import Path

import altair as alt
import numpy as np
import pandas as pd

from understudy.errors import UnderstudyError
from understudy.report.figure_files import write_spec
from understudy.report.theme import chart_config
from understudy.sources.worlds import Joint

SUFFIXES = (".svg", ".png")
_PANEL = 180


def write_joint_figure(joints: Mapping[str, Joint], x: str, path: Path) -> Path:
    """Draw each joint distribution of `x` with another attribute, darker where more rows lie; a row for each class."""
    if path.suffix not in SUFFIXES:
        raise UnderstudyError(f"{path.name} ends in {path.suffix or 'nothing'!r}; draw to {' or '.join(SUFFIXES)}.")
    columns = [_column(joint, x, y) for y, joint in joints.items()]
    chart = alt.hconcat(*columns)
    return write_spec({**chart.to_dict(), "config": chart_config("paper")}, path)


def _column(joint: Joint, x: str, y: str) -> alt.VConcatChart:
    panels = [_panel(joint, x, y, name) for name in joint.counts]
    return alt.vconcat(*panels)


def _panel(joint: Joint, x: str, y: str, name: str) -> alt.Chart:
    counts = joint.counts[name]
    left, bottom = np.meshgrid(np.arange(counts.shape[0]), np.arange(counts.shape[1]), indexing="ij")
    frame = pd.DataFrame(
        {
            "x": joint.x_edges[left.ravel()],
            "x2": joint.x_edges[left.ravel() + 1],
            "y": joint.y_edges[bottom.ravel()],
            "y2": joint.y_edges[bottom.ravel() + 1],
            "n": counts.ravel(),
        }
    )
    chart: alt.Chart = (
        alt.Chart(frame[frame["n"] > 0], title=name)
        .mark_rect()
        .encode(
            alt.X("x:Q", title=x, scale=alt.Scale(domain=_ends(joint.x_edges), nice=False)),
            alt.X2("x2:Q"),
            alt.Y("y:Q", title=y, scale=alt.Scale(domain=_ends(joint.y_edges), nice=False)),
            alt.Y2("y2:Q"),
            # By the root, so that a few crowded edges leave the rest visible.
            alt.Color("n:Q", legend=None, scale=alt.Scale(type="sqrt", scheme="blues")),
        )
        .properties(width=_PANEL, height=_PANEL)
    )
    return chart


def _ends(edges: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> list[float]:
    return [float(edges[0]), float(edges[-1])]
