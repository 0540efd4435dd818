"""Colours and fonts of pages and figures, in a light and a dark scheme."""

from typing import Final, Literal, NamedTuple

from pydantic import JsonValue


class Palette(NamedTuple):
    """The colours of one scheme; text has a contrast of at least 4.5 on paper and panel."""

    paper: str
    panel: str
    ink: str
    soft: str
    line: str
    grid: str
    dot: str
    accent: str
    wash: str
    warn: str
    warn_ink: str


LIGHT: Final = Palette(
    paper="#fdfdfb",
    panel="#f5f6f4",
    ink="#1c2733",
    soft="#566270",
    line="#d7dcdf",
    grid="#e7eaec",
    dot="#7c8b99",
    accent="#0b6470",
    wash="#e3f0f0",
    warn="#ffd24d",
    warn_ink="#2b2100",
)
DARK: Final = Palette(
    paper="#12181e",
    panel="#1a222a",
    ink="#e8ecef",
    soft="#a4b0bb",
    line="#35414c",
    grid="#28323b",
    dot="#8796a4",
    accent="#6fcfd6",
    wash="#17353a",
    warn="#ffd24d",
    warn_ink="#2b2100",
)
SANS: Final = "ui-sans-serif, system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu Sans', sans-serif"
SERIF: Final = "ui-serif, 'Iowan Old Style', 'Palatino Linotype', Palatino, Georgia, 'DejaVu Serif', serif"
MONO: Final = "ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace"

SYNTHETIC: Final = "SYNTHETIC DATA — simulated people, not evidence about people"
"""The label of every page, figure and table with simulated people."""

PILOT: Final = "PILOT RUN — not part of the main study, and never pooled with it"
"""The label of every page, figure and table of a pilot."""


def style_variables(palette: Palette) -> str:
    """Return a palette as the CSS custom properties of the style sheet and the figures."""
    return " ".join(f"--{name.replace('_', '-')}: {hue};" for name, hue in palette._asdict().items())


def chart_config(ground: Literal["paper", "none"]) -> dict[str, JsonValue]:
    """Return the Vega-Lite configuration that all figures share."""
    text: dict[str, JsonValue] = {"font": SANS, "color": LIGHT.ink, "fontSize": 12}
    return {
        "aria": False,
        "background": LIGHT.paper if ground == "paper" else None,
        "padding": 8 if ground == "paper" else 2,
        "view": {"stroke": None},
        "font": SANS,
        "title": {
            "anchor": "start",
            "frame": "group",
            "font": SANS,
            "fontSize": 13,
            "fontWeight": 600,
            "color": LIGHT.ink,
            "subtitleFont": SANS,
            "subtitleFontSize": 11,
            "subtitleColor": LIGHT.soft,
            "subtitlePadding": 5,
            "offset": 12,
        },
        "axis": {
            "labelColor": LIGHT.ink,
            "titleColor": LIGHT.soft,
            "labelFontSize": 12,
            "titleFontSize": 12,
            "titleFontWeight": 400,
            "gridColor": LIGHT.grid,
            "domainColor": LIGHT.line,
            "tickColor": LIGHT.line,
            "labelPadding": 6,
            "titlePadding": 10,
        },
        "axisX": {"labelFlush": False},
        # The legend's own colours are black, which a dark page would hide.
        "legend": {"labelColor": LIGHT.ink, "titleColor": LIGHT.soft, "titleFontWeight": 400},
        "text": text,
    }
