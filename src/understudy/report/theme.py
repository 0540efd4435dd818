"""Colours, fonts and numbers of pages and figures."""

import math
from collections.abc import Iterable
from typing import Final, Literal, NamedTuple

from pydantic import JsonValue

from understudy.schema import Estimate, Interval


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


# Format numbers for readers: few digits, minus signs, and a dash for a missing number.

DASH = "—"
"""Shown for a missing number; the caller gives the reason."""

_SYMBOLS = {"chi2": "χ²", "chi_square": "χ²", "chisq": "χ²"}
_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_TINY = 1e-4


def decimals_of(values: Iterable[float | None], *, significant: int = 3) -> int:
    """Return the decimals with which the largest number has its significant digits."""
    largest = max((abs(value) for value in values if value is not None), default=0.0)
    if largest == 0:
        return significant - 1
    return min(max(0, significant - 1 - math.floor(math.log10(largest))), 6)


def number(value: float | None, *, decimals: int | None = None) -> str:
    """Format a number with the given decimals, or with three significant digits.

    >>> number(0.12345), number(-1234.5), number(None)
    ('0.123', '−1,234', '—')
    """
    if value is None:
        return DASH
    if decimals is None:
        if value != 0 and abs(value) < _TINY:
            return _scientific(value)
        decimals = 0 if value == 0 else decimals_of([value])
    return _signed(f"{value:,.{decimals}f}")


def count(value: int) -> str:
    """Format a whole number with thousands separators."""
    return f"{value:,}"


def p_value(p: float | None) -> str:
    """Format a p-value as papers do: three decimals, no leading zero, never zero or one.

    >>> p_value(0.0342), p_value(0.00001), p_value(0.9999)
    ('p = .034', 'p < .001', 'p > .999')
    """
    if p is None:
        return DASH
    if p < 0.001:
        return "p < .001"
    if p > 0.999:
        return "p > .999"
    return f"p = {p:.3f}".replace("0.", ".", 1)


def interval(span: Interval | None, *, decimals: int | None = None) -> str:
    """Format an interval in brackets; an open side runs to infinity.

    >>> interval(Interval(low=0.1, high=None, level=0.95))
    '[0.100, ∞)'
    """
    if span is None:
        return DASH
    shown = decimals_of([span.low, span.high]) if decimals is None else decimals
    low = "(−∞" if span.low is None else f"[{number(span.low, decimals=shown)}"
    high = "∞)" if span.high is None else f"{number(span.high, decimals=shown)}]"
    return f"{low}, {high}"


def level(span: Interval | None) -> str:
    """Format a confidence level as a percentage.

    >>> level(Interval(low=0, high=1, level=0.95)), level(Interval(low=0, high=1, level=0.99997))
    ('95%', '99.997%')
    """
    return DASH if span is None else span.percent


def value_with_interval(value: float | None, span: Interval | None) -> str:
    """Format a number and its interval with the same decimals."""
    if span is None:
        return number(value)
    shown = decimals_of([value, span.low, span.high])
    return f"{number(value, decimals=shown)}, {level(span)} CI {interval(span, decimals=shown)}"


def statistic(estimate: Estimate) -> str:
    """Format a test as papers do, such as t(37.5) = 2.41.

    >>> statistic(Estimate(effect=1, effect_name="d", n_sessions=9, n_rows=9, statistic=4.105, statistic_name="F", df=(2, 27)))
    'F(2, 27) = 4.11'
    """
    if estimate.statistic is None:
        return DASH
    name = _SYMBOLS.get(estimate.statistic_name, estimate.statistic_name) or "statistic"
    freedom = f"({', '.join(degrees(value) for value in estimate.df)})" if estimate.df else ""
    return f"{name}{freedom} = {plain(estimate.statistic)}"


def degrees(df: float) -> str:
    """Format degrees of freedom, with two decimals unless they are whole.

    Thousands have no comma, which would look like the comma between the two of an F test.

    >>> degrees(1071.0), degrees(18.316), degrees(1070.99999)
    ('1071', '18.32', '1071')
    """
    return f"{df:.2f}".removesuffix(".00")


def plain(value: float | None) -> str:
    """Format a test statistic, with two decimals unless it is a large whole number."""
    if value is None:
        return DASH
    if value == int(value) and abs(value) >= 10:
        return _signed(f"{int(value):,}")
    return _signed(f"{value:,.2f}")


def _signed(text: str) -> str:
    bare = text.lstrip("-")
    # A value that rounds to zero loses its sign.
    if not any(digit in bare for digit in "123456789"):
        return bare
    return f"−{bare}" if text.startswith("-") else bare


def _scientific(value: float) -> str:
    mantissa, exponent = f"{value:.2e}".split("e")
    return f"{_signed(mantissa)} × 10{str(int(exponent)).translate(_SUPERSCRIPT)}"
