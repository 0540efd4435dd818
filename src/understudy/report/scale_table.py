"""The table of scales: composite score and reliability, as text."""

from collections.abc import Sequence
from typing import NamedTuple

from understudy.report import numbers
from understudy.schema.scale import ScaleSummary


class ScaleLine(NamedTuple):
    """A row of the table as text."""

    measure: str
    source: str
    items: str
    people: str
    score: str
    mean: str
    sd: str
    alpha: str


def scale_lines(summaries: Sequence[ScaleSummary]) -> list[ScaleLine]:
    """Return the rows of the table."""
    return [
        ScaleLine(
            summary.measure,
            summary.source or numbers.DASH,
            f"{summary.n_items}, 1 to {summary.points}",
            str(summary.n_people),
            summary.score,
            _text(summary.mean),
            _text(summary.sd),
            _text(summary.alpha),
        )
        for summary in summaries
    ]


def _text(value: float | None) -> str:
    return numbers.DASH if value is None else numbers.number(value, decimals=2)
