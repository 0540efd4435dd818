"""SVG as PNG and PDF, by an optional library that brings its own fonts and renderer."""

from typing import Any

from understudy.extras import optional

_DOTS_PER_UNIT = 2.0
"""Pixels of a PNG per unit of the drawing."""


def png_from_svg(svg: str) -> bytes:
    """Return a picture as PNG."""
    return bytes(_converter().svg_to_png(svg, scale=_DOTS_PER_UNIT))


def pdf_from_svg(svg: str) -> bytes:
    """Return a picture as PDF, as vectors and text."""
    return bytes(_converter().svg_to_pdf(svg))


def _converter() -> Any:
    return optional("vl_convert", extra="figures")
