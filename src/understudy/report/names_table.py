"""The table of names that people gave to dials, as text."""

from collections.abc import Sequence
from typing import NamedTuple

from understudy.report import numbers
from understudy.schema import DialNames


class NamesLine(NamedTuple):
    """A row of the table as text."""

    group: str
    dial: str
    named: str
    common: str
    same: str
    agreement: str
    elsewhere: str


def names_lines(dials: Sequence[DialNames]) -> list[NamesLine]:
    """Return the rows of the table."""
    return [
        NamesLine(
            dial.group,
            f"Dial #{dial.dial}",
            f"{dial.n_named} of {dial.n_people}",
            "; ".join(f"{name} ({n})" for name, n in dial.common) or numbers.DASH,
            f"{dial.n_same} of {dial.n_pairs}" if dial.n_pairs else numbers.DASH,
            _agreement(dial),
            numbers.DASH if dial.elsewhere is None else numbers.number(dial.elsewhere, decimals=2),
        )
        for dial in dials
    ]


def _agreement(dial: DialNames) -> str:
    if dial.agreement is None:
        return numbers.DASH
    text = numbers.number(dial.agreement, decimals=2)
    return text if dial.interval is None else f"{text} {numbers.interval(dial.interval, decimals=2)}"
