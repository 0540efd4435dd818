"""Usual time: how long pages took the people who completed the study, so that the next ones are told better minutes.

What a page takes is only estimated before anybody came. What people took then counts against the estimate, first over
all pages of a block, and then over those with the same levels, of which fewer people see each.

Some people click through without reading, and some programs do nothing else. Their times must not become the minutes that
others plan by, so medians count, people who were far too fast do not, and no page takes less than a share of its estimate.
"""

from collections import defaultdict, deque
from collections.abc import Iterable
from functools import partial
from statistics import median
from typing import NamedTuple

from understudy.conduct.scoring import StepEvents
from understudy.schema import Levels, ResponseGiven

N_ESTIMATE = 0.5
"""An estimate counts like so many people: the first who completes the study says more about it than its words."""
N_REMEMBERED = 51
"""So many people count, the last ones: a study may be changed by where it is advertised. An odd number has one middle."""
FASTEST = 0.3
"""Who took less than this share of what a session is estimated to take clicked through it, and does not count. Estimates
can be wrong by half, so that a higher share would leave out honest people."""
LEAST = 0.25
"""No page is expected to take less than this share of its estimate, whatever people took."""


class PageKind(NamedTuple):
    """Pages that take about the same time: those of a block, with the levels that change what it shows."""

    block_id: str
    levels: tuple[tuple[str, str], ...] = ()


class UsualTimes:
    """Median seconds of a page, by its kind."""

    def __init__(self) -> None:
        self._took: defaultdict[PageKind, deque[float]] = defaultdict(partial(deque[float], maxlen=N_REMEMBERED))

    def note(self, kind: PageKind, seconds: float) -> None:
        """Count what one person took for a page of a kind, on average."""
        for wider in {kind, PageKind(kind.block_id)}:
            self._took[wider].append(seconds)

    def page_s(self, kind: PageKind, estimate_s: float) -> float:
        """Return what a page usually takes, from what people took and what was estimated."""
        usual_s = estimate_s
        for narrower in dict.fromkeys((PageKind(kind.block_id), kind)):
            took = self._took.get(narrower)
            if took:
                usual_s = (N_ESTIMATE * usual_s + len(took) * median(took)) / (N_ESTIMATE + len(took))
        return max(LEAST * estimate_s, usual_s)


def page_kind(block_id: str, levels: Levels, factors: Iterable[str]) -> PageKind:
    """Return the kind of a block's pages; `factors` are those that change what it shows."""
    return PageKind(block_id, tuple((name, levels[name]) for name in factors))


def answered_s(step: StepEvents) -> float | None:
    """Return how long a page took; None if it was not answered."""
    answer = step.events[-1] if step.events else None
    return answer.rt_ms / 1000 if isinstance(answer, ResponseGiven) else None
