"""Interval strip: a drawing of one line for an estimate, its interval and the value that means no effect."""

from html import escape

from understudy.schema import Estimate

WIDTH, HEIGHT, EDGE = 110, 18, 6


def interval_strip(estimate: Estimate | None, words: str) -> str:
    """Return the SVG of a strip, or nothing where there is no interval; `words` say what it shows.

    An open side of the interval runs to the edge. Each strip has its own scale: strips compare an effect with none,
    and not effects with each other.
    """
    if estimate is None or estimate.effect is None or estimate.interval is None:
        return ""
    low, high = estimate.interval.low, estimate.interval.high
    marks = [value for value in (low, high, estimate.effect, estimate.null_value) if value is not None]
    least, most = min(marks), max(marks)
    if least == most:
        return ""

    def at(value: float | None, edge: float) -> float:
        if value is None:
            return edge
        return round(EDGE + (value - least) / (most - least) * (WIDTH - 2 * EDGE), 1)

    middle = HEIGHT / 2
    parts = [
        f'<line class="strip-interval" x1="{at(low, 0)}" x2="{at(high, WIDTH)}" y1="{middle}" y2="{middle}"/>',
        f'<circle class="strip-effect" cx="{at(estimate.effect, 0)}" cy="{middle}" r="4"/>',
    ]
    if estimate.null_value is not None:
        x = at(estimate.null_value, 0)
        parts.insert(0, f'<line class="strip-null" x1="{x}" x2="{x}" y1="1" y2="{HEIGHT - 1}"/>')
    return (
        f'<svg class="strip" role="img" aria-label="{escape(words)}" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'width="{WIDTH}" height="{HEIGHT}">{"".join(parts)}</svg>'
    )
