"""The table of missing answers, every number written."""

from collections.abc import Sequence
from typing import NamedTuple

from understudy.report import numbers
from understudy.report.view import Shown
from understudy.report.wording import readable
from understudy.schema import MissingAnswers

_OPEN = Shown(numbers.DASH, "no fixed number for a person")


class MissingLine(NamedTuple):
    """One stage in one condition."""

    condition: str
    stage: str
    people: str
    left: str
    reached: str
    expected: Shown
    missing: Shown
    share: Shown


def missing_lines(missing: Sequence[MissingAnswers]) -> tuple[MissingLine, ...]:
    """Lay out the missing answers of each condition and stage."""
    return tuple(_line(one) for one in missing)


def _line(one: MissingAnswers) -> MissingLine:
    expected = one.n_expected
    lost = None if expected is None else expected - one.n_given
    return MissingLine(
        condition=one.condition,
        stage=readable(one.block_id),
        people=numbers.count(one.n_people),
        left=numbers.count(one.n_left),
        reached=numbers.count(one.n_reached),
        expected=_OPEN if expected is None else Shown(numbers.count(expected)),
        missing=_OPEN if lost is None else Shown(numbers.count(lost)),
        share=_OPEN if lost is None or not expected else Shown(f"{lost / expected:.1%}"),
    )
