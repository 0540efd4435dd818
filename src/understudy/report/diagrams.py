"""The participant flow as a diagram: who stayed, who left and why, and the conditions at the end."""

import textwrap
from html import escape
from typing import NamedTuple

from understudy.report import theme
from understudy.schema import Estimate, FlowStep, ParticipantFlow

_WIDTH = 620
_TRUNK = 100
_SIDE = 126
_LINE = 19
_GAP = 20
_BOX = 54
_PER_ROW = 3


class Diagram(NamedTuple):
    """A diagram and its text alternative."""

    svg: str
    description: str


def flow_diagram(flow: ParticipantFlow, *, note: str = "") -> Diagram:
    """Return the diagram from everyone recruited to everyone analysed."""
    parts: list[str] = []
    y = _trunk_box(parts, 1, "Recruited", flow.n_recruited)
    for step in flow.steps:
        y = _branch(parts, y, step)
    parts.append(_arrow(_TRUNK, y, _TRUNK, y + _GAP))
    if flow.n_partial:
        parts.append(_beside_end(y + _GAP, flow.n_partial))
    y = _trunk_box(parts, y + _GAP, "Analysed", flow.n_analysed, is_end=True)
    # Files of earlier versions have the sizes of groups in their steps only.
    conditions = flow.by_condition or (flow.steps[-1].by_condition if flow.steps else {})
    if conditions:
        y = _conditions(parts, y, conditions)
    if note:
        y += 26
        parts.append(f'<text class="flow-note" x="1" y="{y - 6}">{escape(note)}</text>')
    height = y + 2
    head = f'<svg class="flow" role="img" aria-labelledby="flow-words" viewBox="0 0 {_WIDTH} {height}" '
    return Diagram(f'{head}xmlns="http://www.w3.org/2000/svg">{"".join(parts)}</svg>', flow_in_words(flow, conditions))


def flow_in_words(flow: ParticipantFlow, conditions: dict[str, int]) -> str:
    """Return the flow as one sentence, as a text alternative."""
    left = [f"{step.n_left:,} left at {step.label}, {step.n_remaining:,} remained" for step in flow.steps]
    summary = "; ".join([f"{flow.n_recruited:,} recruited", *left, f"{flow.n_analysed:,} analysed"])
    if flow.n_partial:
        summary += f", {flow.n_partial:,} of whom left early"
    shares = ", ".join(f"{name} {n:,}" for name, n in conditions.items())
    return f"Participant flow: {summary}{f' ({shares})' if shares else ''}."


def _trunk_box(parts: list[str], y: int, label: str, n: int, *, is_end: bool = False) -> int:
    width = 2 * _TRUNK - 2
    parts.append(
        f'<rect class="flow-box{" flow-end" if is_end else ""}" x="1" y="{y}" width="{width}" height="{_BOX}" rx="8"/>'
        f'<text class="flow-label" x="{_TRUNK}" y="{y + 22}" text-anchor="middle">{escape(label)}</text>'
        f'<text class="flow-count" x="{_TRUNK}" y="{y + 43}" text-anchor="middle">n = {theme.count(n)}</text>'
    )
    return y + _BOX


def _beside_end(y: int, n: int) -> str:
    left = _TRUNK + _SIDE
    lines = (f"{theme.count(n)} of them left early", "and count with the answers they gave")
    return "".join(
        f'<text class="flow-reason" x="{left + 14}" y="{y + 22 + _LINE * k}">{escape(line)}</text>'
        for k, line in enumerate(lines)
    )


def _branch(parts: list[str], y: int, step: FlowStep) -> int:
    reason = textwrap.wrap(step.reason, 52)[:3]
    height = 34 + _LINE * len(reason)
    top = y + _GAP
    middle = top + height // 2
    bottom = top + height
    left = _TRUNK + _SIDE
    parts.append(f'<line class="flow-line" x1="{_TRUNK}" y1="{y}" x2="{_TRUNK}" y2="{bottom}"/>')
    parts.append(_arrow(_TRUNK, middle, left, middle))
    parts.append(
        f'<text class="flow-remain" x="{_TRUNK - 10}" y="{bottom + 4}" text-anchor="end">'
        f"{theme.count(step.n_remaining)} remain</text>"
    )
    kind = "flow-out" if step.n_left else "flow-out flow-none"
    parts.append(f'<rect class="{kind}" x="{left}" y="{top}" width="{_WIDTH - left - 1}" height="{height}" rx="8"/>')
    title = textwrap.shorten(step.label.replace("_", " "), 40, placeholder="…")
    parts.append(
        f'<text class="flow-label" x="{left + 14}" y="{top + 22}">{escape(title[:1].upper() + title[1:])}</text>'
    )
    parts.append(
        f'<text class="flow-label" x="{_WIDTH - 15}" y="{top + 22}" text-anchor="end">n = {theme.count(step.n_left)}</text>'
    )
    for k, line in enumerate(reason):
        parts.append(
            f'<text class="flow-reason" x="{left + 14}" y="{top + 22 + _LINE * (k + 1)}">{escape(line)}</text>'
        )
    return bottom


def _conditions(parts: list[str], y: int, conditions: dict[str, int]) -> int:
    # More than three boxes in a row would be too narrow for their labels.
    per_row = min(_PER_ROW, len(conditions))
    width = (_WIDTH - 2 - 12 * (per_row - 1)) // per_row
    bar = y + _GAP // 2
    top = y + 2 * _GAP
    centres = [1 + k * (width + 12) + width // 2 for k in range(per_row)]
    ends = sorted([_TRUNK, *centres])
    parts.append(f'<line class="flow-line" x1="{_TRUNK}" y1="{y}" x2="{_TRUNK}" y2="{bar}"/>')
    parts.append(f'<line class="flow-line" x1="{ends[0]}" y1="{bar}" x2="{ends[-1]}" y2="{bar}"/>')
    parts.extend(_arrow(centre, bar, centre, top) for centre in centres)
    for k, (name, n) in enumerate(conditions.items()):
        x = 1 + (k % per_row) * (width + 12)
        box = top + (k // per_row) * (_BOX + 10)
        label = textwrap.shorten(name, 26, placeholder="…") or name[:25]
        parts.append(
            f'<rect class="flow-box" x="{x}" y="{box}" width="{width}" height="{_BOX}" rx="8"/>'
            f'<text class="flow-label" x="{x + width // 2}" y="{box + 22}" text-anchor="middle">{escape(label)}</text>'
            f'<text class="flow-count" x="{x + width // 2}" y="{box + 43}" text-anchor="middle">n = {theme.count(n)}</text>'
        )
    n_rows = -(-len(conditions) // per_row)
    return top + n_rows * (_BOX + 10) - 10


def _arrow(x1: int, y1: int, x2: int, y2: int) -> str:
    head = (
        f"M{x2 - 7},{y2 - 4}L{x2},{y2}L{x2 - 7},{y2 + 4}"
        if y1 == y2
        else f"M{x2 - 4},{y2 - 7}L{x2},{y2}L{x2 + 4},{y2 - 7}"
    )
    return f'<line class="flow-line" x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}"/><path class="flow-head" d="{head}"/>'


# Interval strip: a drawing of one line for an estimate, its interval and the value that means no effect.

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
