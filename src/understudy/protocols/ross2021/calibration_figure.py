"""The calibration figure: completion rate and error by model, for simulated and real people."""

import math
from pathlib import Path
from typing import Any

import altair as alt
import pandas as pd

from understudy.protocols.ross2021.calibration_rows import MODELS_OF, NAMES, PUBLISHED, Calibration
from understudy.report import write_spec
from understudy.report.theme import SYNTHETIC, chart_config

PEOPLE = "people (published)"
MEASURES = {"completion": "Completion rate", "error_auc": "Error AUC, thousands", "difficulty": "Rated difficulty"}
LIMITS = {"completion": (0.0, 1.0), "error_auc": (0.0, None), "difficulty": (1.0, 7.0)}
"""The range of each measure, at which spreads are cut off."""
HUES = ("#1c2733", "#8a8f98", "#b3541e", "#0b6470", "#6a4c93", "#a4303f")


def write_calibration_figure(calibration: Calibration, path: Path) -> Path:
    """Draw one panel for each data set and measure, to an SVG file."""
    columns = [_panels(calibration, measure) for measure in MEASURES]
    chart = alt.vconcat(*columns).properties(
        title=alt.Title(
            SYNTHETIC,
            subtitle="Published values of people in black, with one population standard deviation to either side within the measure's range.",
        )
    )
    spec = {**chart.to_dict(), "config": chart_config("paper")}
    return write_spec(spec, path)


def _panels(calibration: Calibration, measure: str) -> alt.HConcatChart:
    return alt.hconcat(*(_panel(calibration, data, measure) for data in calibration.data))


def _panel(calibration: Calibration, data: str, measure: str) -> Any:
    lowest, highest = LIMITS[measure]
    rows = [
        {"who": row.strategy, "model": row.model.upper(), "value": getattr(row, measure)}
        for row in calibration.rows
        if row.data == data
    ]
    rows += [
        {
            "who": PEOPLE, "model": model.upper(), "value": getattr(published, measure),
            "low": max(getattr(published, measure) - getattr(published, f"{measure}_sd"), lowest),
            "high": min(getattr(published, measure) + getattr(published, f"{measure}_sd"), highest or math.inf),
        }
        for model, published in PUBLISHED[data].items()
    ]  # fmt: skip
    frame = pd.DataFrame(rows)
    x = alt.X("model:N", title=None, sort=[model.upper() for model in MODELS_OF[data]], axis=alt.Axis(labelAngle=0))
    hue = alt.Color("who:N", title=None, scale=alt.Scale(domain=[PEOPLE, *calibration.strategies], range=list(HUES)))
    top = max(1.0, float(frame[["value", "high"]].max().max()))
    y = alt.Y("value:Q", title=MEASURES[measure], scale=alt.Scale(domain=[0, top]))
    lines = alt.Chart(frame).mark_line(point=alt.OverlayMarkDef(size=50)).encode(x, y, hue)
    people = alt.Chart(frame[frame["who"] == PEOPLE])
    spans = people.mark_rule().encode(x, alt.Y("low:Q"), alt.Y2("high:Q"), hue)
    return alt.layer(spans, lines).properties(width=260, height=200, title=NAMES[data])
