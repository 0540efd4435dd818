"""Figures as files: SVG, PNG and PDF, without a browser or a network."""

import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import altair as alt
import pandas as pd

from understudy.drawing import png_from_svg, svg_from_spec
from understudy.errors import MissingExtra, UnderstudyError, is_installed
from understudy.report.charts import unchecked
from understudy.report.diagnostics import diagnostics_figure, sensitivity_figure
from understudy.report.figures import Figure, all_figures, marked, with_title
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


# Print the report to PDF with an installed Chromium.

_NAMES: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge")
_PLAYWRIGHT: Final = (
    ".cache/ms-playwright/chromium-*/chrome-linux*/chrome",
    "Library/Caches/ms-playwright/chromium-*/chrome-mac*/Chromium.app/Contents/MacOS/Chromium",
    "AppData/Local/ms-playwright/chromium-*/chrome-win*/chrome.exe",
)
_SECONDS: Final = 120


def write_pdf(page: Path, path: Path, *, browser: Path | None = None) -> Path:
    """Print a report page to PDF and return its path; without `browser`, search for one."""
    browser_path = browser or find_browser(Path.home())
    if browser_path is None:
        raise MissingExtra(
            "A PDF is printed by Chromium or Chrome, and none was found on the search path or among Playwright's "
            "browsers. Install one (for example `apt install chromium` or `playwright install chromium`), "
            "or print the HTML page from any browser."
        )
    if not page.is_file():
        raise UnderstudyError(f"There is no report page at {page}. Write the report first, then print it.")
    path.parent.mkdir(parents=True, exist_ok=True)
    # A separate profile, so that a running browser does not take over the job.
    with tempfile.TemporaryDirectory() as profile:
        done = _printed(browser_path, page, path, Path(profile))
    if done.returncode or not path.is_file():
        messages = done.stderr.strip().splitlines()
        raise UnderstudyError(
            f"{browser_path} did not print the PDF: {messages[-1] if messages else 'it gave no reason'}."
        )
    return path


def find_browser(home: Path) -> Path | None:
    """Return an installed Chromium or Chrome, or Playwright's build in a home folder."""
    for name in _NAMES:
        path = shutil.which(name)
        if path:
            return Path(path)
    installed = [path for pattern in _PLAYWRIGHT for path in home.glob(pattern)]
    return max(installed, default=None)


def _printed(browser: Path, page: Path, path: Path, profile: Path) -> subprocess.CompletedProcess[str]:
    command = [
        str(browser),
        "--headless",
        # The page is our own, runs only our script and loads nothing; as root Chromium starts only without its sandbox.
        "--no-sandbox",
        "--disable-gpu",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--no-first-run",
        "--no-pdf-header-footer",
        f"--user-data-dir={profile}",
        f"--print-to-pdf={path.resolve()}",
        page.resolve().as_uri(),
    ]
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UnderstudyError(f"{browser} could not print the PDF: {error}. Give another browser.") from None
