"""The table of names that people gave to dials, worked out before any markup."""

from collections.abc import Sequence
from typing import NamedTuple

from understudy.report import numbers
from understudy.schema import DialNames


class NamesLine(NamedTuple):
    """A row as written."""

    group: str
    dial: str
    named: str
    common: str
    same: str
    agreement: str
    elsewhere: str


def names_lines(dials: Sequence[DialNames]) -> list[NamesLine]:
    """Write the rows of the table."""
    return [
        NamesLine(
            one.group,
            f"Dial #{one.dial}",
            f"{one.n_named} of {one.n_people}",
            "; ".join(f"{name} ({n})" for name, n in one.common) or numbers.DASH,
            f"{one.n_same} of {one.n_pairs}" if one.n_pairs else numbers.DASH,
            _agreement(one),
            numbers.DASH if one.elsewhere is None else numbers.number(one.elsewhere, decimals=2),
        )
        for one in dials
    ]


def _agreement(one: DialNames) -> str:
    if one.agreement is None:
        return numbers.DASH
    text = numbers.number(one.agreement, decimals=2)
    return text if one.interval is None else f"{text} {numbers.interval(one.interval, decimals=2)}"
