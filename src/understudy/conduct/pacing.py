"""Pacing: how far a session has come in time, and how much is left at the pace of its person.

What is left is what the timetable expects, corrected by how long the person took for pages of the same task so far. Few
pages say little, so a correction counts in full only when more time was seen than the constants below.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from understudy.conduct.timetable import LONGEST, PlannedVisit

OVERALL_S = 120.0
"""So much expected time counts for the timetable against the person's pace over all tasks: who reads quickly need not
answer quickly."""
OF_TASK_S = 20.0
"""So much counts for the pace over all tasks against the pace at one."""
N_KNOWN = 3.0
"""After so many pages of a task, half of what can be known about its pages is known."""
SKIMMED = 0.5
"""Somebody who clicks through the pages so far is expected to take at least this share of the time for tasks that they
have not met: instructions can be skipped, questions cannot."""
PROMISED = 8
"""How fast the announced time gives way to what is seen: it counts by the share of the session that is left, to this power.
On the first pages, people read the minutes that they were promised."""
STEADY, STEADY_OF_PAGE = 0.07, 1.5
"""One page changes what is left by at most the first share, and by the second times its own share of the session, besides the
page itself: a consent form that somebody skims must not turn 30 minutes into 19 one click later, and long pages say more."""
ALIKE = 0.75
"""How far pages of one task come to take the same time, whatever their length: people skip what they know."""


@dataclass
class _Seen:
    n_pages: int = 0
    expected_s: float = 0.0
    spent_s: float = 0.0


class Pacing:
    """What one person took so far, by task, next to what was expected."""

    def __init__(self, announced_s: float | None = None, *, n_learned: int = 0) -> None:
        self._announced_s = announced_s
        # What people took who completed the study says more than what was announced.
        self._trust = 1 / (1 + n_learned) ** 2
        self._factor: float | None = None
        """By how much the time at the person's pace is corrected, so that the minutes told stay steady."""
        self._whole_s = self._expected_s = self._page_s = 0.0
        self._seen: defaultdict[str, _Seen] = defaultdict(_Seen)
        self.progress = 0.0
        """Share of the session that is done; it never falls."""
        self.left_s = 0.0

    def answered(self, task: str, *, expected_s: float, spent_s: float) -> None:
        """Take note of an answered page."""
        seen = self._seen[task]
        seen.n_pages += 1
        seen.expected_s += expected_s
        self._page_s = expected_s
        seen.spent_s += min(spent_s, LONGEST * expected_s)

    def look_ahead(self, ahead: Iterable[PlannedVisit]) -> None:
        """Work out anew what is left, from the visits that are still to come."""
        planned = list(ahead)
        own_s = self._at_own_pace(planned)
        spent_s = sum(seen.spent_s for seen in self._seen.values())
        share = spent_s / (spent_s + own_s) if spent_s + own_s > 0 else 0.0
        self.progress = max(self.progress, share)
        expected_s = sum(visit.seconds for visit in planned)
        if self._factor is None:
            self._whole_s = expected_s
        promise = self._announced_s / self._whole_s if self._announced_s and self._whole_s else 1.0
        wanted_s = own_s * (1 + (promise - 1) * self._trust * (1 - self.progress) ** PROMISED)
        if self._factor is not None and self._expected_s:
            # The same share of what is expected as before, give or take.
            steady_s = self.left_s * expected_s / self._expected_s
            most = STEADY + STEADY_OF_PAGE * self._page_s / self._whole_s
            wanted_s = min(max(wanted_s, (1 - most) * steady_s), (1 + most) * steady_s)
        self._expected_s, self.left_s = expected_s, wanted_s
        self._factor = wanted_s / own_s if own_s else 1.0

    def time_for(self, ahead: Iterable[PlannedVisit]) -> float:
        """Return how many seconds visits are expected to take, so that the parts of what is left add up to it."""
        return self._at_own_pace(ahead) * (1.0 if self._factor is None else self._factor)

    def _at_own_pace(self, ahead: Iterable[PlannedVisit]) -> float:
        """Return how many seconds visits are expected to take at this person's pace."""
        spent_s = sum(seen.spent_s for seen in self._seen.values())
        expected_s = sum(seen.expected_s for seen in self._seen.values())
        overall = (OVERALL_S + spent_s) / (OVERALL_S + expected_s)
        return sum(self._corrected(planned, overall) for planned in ahead)

    def _corrected(self, planned: PlannedVisit, overall: float) -> float:
        seen = self._seen.get(planned.task)
        if seen is None or seen.expected_s == 0 or planned.seconds == 0:
            return planned.seconds * max(SKIMMED, overall)
        pace = (OF_TASK_S * overall + seen.spent_s) / (OF_TASK_S + seen.expected_s)
        usual_s = seen.expected_s / seen.n_pages
        alike = ALIKE * seen.n_pages / (seen.n_pages + N_KNOWN)
        corrected: float = planned.seconds * pace * (usual_s / planned.page_s) ** alike
        return corrected
