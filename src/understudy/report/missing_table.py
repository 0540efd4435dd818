"""The table of missing answers, with formatted numbers."""

from collections.abc import Sequence
from typing import NamedTuple

from understudy.report import numbers
from understudy.report.view import DisplayValue
from understudy.report.wording import readable
from understudy.schema import MissingAnswers

_OPEN = DisplayValue(numbers.DASH, "no fixed number for a person")


class MissingLine(NamedTuple):
    """One stage in one condition."""

    condition: str
    stage: str
    people: str
    left: str
    reached: str
    expected: DisplayValue
    missing: DisplayValue
    share: DisplayValue


def missing_lines(missing: Sequence[MissingAnswers]) -> tuple[MissingLine, ...]:
    """Return the rows of missing answers by condition and stage."""
    return tuple(_line(row) for row in missing)


def _line(row: MissingAnswers) -> MissingLine:
    expected = row.n_expected
    lost = None if expected is None else expected - row.n_given
    return MissingLine(
        condition=row.condition,
        stage=readable(row.block_id),
        people=numbers.count(row.n_people),
        left=numbers.count(row.n_left),
        reached=numbers.count(row.n_reached),
        expected=_OPEN if expected is None else DisplayValue(numbers.count(expected)),
        missing=_OPEN if lost is None else DisplayValue(numbers.count(lost)),
        share=_OPEN if lost is None or not expected else DisplayValue(f"{lost / expected:.1%}"),
    )
