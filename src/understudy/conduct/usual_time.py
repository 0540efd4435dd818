"""Usual time: how long pages took the people who completed the study, so that the next ones are told better minutes.

What a page takes is only estimated before anybody came. What people took then counts against the estimate, first over
all pages of a block, and then over those with the same levels, of which fewer people see each.
"""

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from understudy.conduct.scoring import StepEvents
from understudy.schema import Levels, ResponseGiven

N_ESTIMATE = 0.5
"""An estimate counts like so many people: the first who completes the study says more about it than its words."""


class PageKind(NamedTuple):
    """Pages that take about the same time: those of a block, with the levels that change what it shows."""

    block_id: str
    levels: tuple[tuple[str, str], ...] = ()


class _Sum(NamedTuple):
    n_people: int = 0
    seconds: float = 0.0


class UsualTimes:
    """Mean seconds of a page, by its kind."""

    def __init__(self) -> None:
        self._sums: defaultdict[PageKind, _Sum] = defaultdict(_Sum)

    def note(self, kind: PageKind, seconds: float) -> None:
        """Count what one person took for a page of a kind, on average."""
        for wider in {kind, PageKind(kind.block_id)}:
            known = self._sums[wider]
            self._sums[wider] = _Sum(known.n_people + 1, known.seconds + seconds)

    def page_s(self, kind: PageKind, estimate_s: float) -> float:
        """Return what a page usually takes, from what people took and what was estimated."""
        for narrower in dict.fromkeys((PageKind(kind.block_id), kind)):
            known = self._sums.get(narrower, _Sum())
            estimate_s = (N_ESTIMATE * estimate_s + known.seconds) / (N_ESTIMATE + known.n_people)
        return estimate_s


def page_kind(block_id: str, levels: Levels, factors: Iterable[str]) -> PageKind:
    """Return the kind of a block's pages; `factors` are those that change what it shows."""
    return PageKind(block_id, tuple((name, levels[name]) for name in factors))


def answered_s(step: StepEvents) -> float | None:
    """Return how long a page took; None if it was not answered."""
    answer = step.events[-1] if step.events else None
    return answer.rt_ms / 1000 if isinstance(answer, ResponseGiven) else None
