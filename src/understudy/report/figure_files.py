"""Write figures as SVG and PNG without a browser or a network."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, TypeAlias

import altair as alt
import pandas as pd

from understudy.drawing import png_from_svg, svg_from_spec
from understudy.errors import UnderstudyError
from understudy.extras import is_installed
from understudy.report.charts import unchecked
from understudy.report.diagnostics_figure import diagnostics_figure
from understudy.report.figures import Figure, all_figures, with_title
from understudy.report.pilot_mark import marked
from understudy.report.sensitivity_figure import sensitivity_figure
from understudy.report.theme import LIGHT, chart_config
from understudy.schema import AnalysisPlan, Findings

Format: TypeAlias = Literal["svg", "png"]
Chart: TypeAlias = alt.VConcatChart | alt.FacetChart
_FORMATS: tuple[Format, ...] = ("svg", "png")


def available_formats() -> tuple[Format, ...]:
    """Return the formats that this installation can write: PNG needs the extra `figures`."""
    return _FORMATS if is_installed("vl_convert") else ("svg",)


@unchecked
def write_figures(
    findings: Findings,
    folder: Path,
    *,
    points: pd.DataFrame | None = None,
    plan: AnalysisPlan | None = None,
    formats: Sequence[Format] | None = None,
) -> tuple[Path, ...]:
    """Write every figure of the report into a folder and return the files; without formats, in all that can be written."""
    formats = available_formats() if formats is None else formats
    unknown = [name for name in formats if name not in _FORMATS]
    if unknown:
        raise UnderstudyError(f"{', '.join(unknown)} is not a figure format. Use {' or '.join(_FORMATS)}.")
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    diagnosed = (
        diagnostics_figure(finding, is_synthetic=findings.provenance.is_synthetic) for finding in findings.findings
    )
    drawn = (*all_figures(findings, points=points, plan=plan), *diagnosed, sensitivity_figure(findings))
    for figure in filter(None, (marked(figure, findings) for figure in drawn)):
        for format_name in formats:
            name = re.sub(r"[^A-Za-z0-9_.-]", "_", figure.name)
            written.append(write_figure(figure, folder / f"{name}.{format_name}"))
    return tuple(written)


def write_figure(figure: Figure, path: Path) -> Path:
    """Write one figure with its title, as PNG or SVG depending on the suffix."""
    return write_chart(with_title(figure), path)


def write_chart(chart: Chart, path: Path) -> Path:
    """Write a chart on the colour of paper, as PNG or SVG depending on the suffix."""
    return write_spec(_spec(chart, "paper"), path)


def write_spec(spec: dict[str, Any], path: Path) -> Path:
    """Write a Vega-Lite specification as PNG or SVG depending on the suffix."""
    path.parent.mkdir(parents=True, exist_ok=True)
    svg = svg_from_spec(spec)
    path.write_bytes(png_from_svg(svg) if path.suffix == ".png" else svg.encode())
    return path


def inline_svg(figure: Figure, key: str) -> str:
    """Return a figure as SVG for a page, with the page's colours, unique ids and an accessible label."""
    svg = svg_from_spec(_spec(figure.chart, "none"))
    # The words below a figure say all of it; unnamed parts would be read out as "graphics symbol" by screen readers.
    svg = re.sub(r' role="graphics-\w+" aria-roledescription="[^"]*"', "", svg)
    # Several figures share a page, so their ids need a prefix.
    svg = re.sub(r'\bid="([^"]+)"', rf'id="{key}-\1"', svg)
    svg = re.sub(r"url\(#([^)]+)\)", rf"url(#{key}-\1)", svg)
    # Colours become CSS variables, so that figures follow the light or dark scheme of the page.
    for name, hue in LIGHT._asdict().items():
        svg = svg.replace(f'="{hue}"', f'="var(--{name.replace("_", "-")})"')
    return re.sub(r"<svg ", f'<svg role="img" aria-labelledby="{key}-words" ', svg, count=1)


def _spec(chart: Chart, ground: Literal["paper", "none"]) -> dict[str, object]:
    # Checking against the schema of Vega-Lite takes longer than drawing, and only a fault of ours could fail it: tests check.
    return {**chart.to_dict(validate=False), "config": chart_config(ground)}
