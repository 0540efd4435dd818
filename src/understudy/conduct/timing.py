"""Time: how long visits are expected to take, a person's own pace, and the budget of a session."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic import BaseModel

from understudy.conduct.scoring import StepEvents
from understudy.conduct.usual_time import FASTEST, PageKind, UsualTimes, answered_s, page_kind
from understudy.conduct.visits import BlockVisit
from understudy.schema import Event, Question, ResponseGiven, Stage, Trial
from understudy.schema.events import TOLERANCE_MS

if TYPE_CHECKING:
    from understudy.conduct.script import Script  # which has a timetable


# Expected time: how long a page takes, from its words, its questions and what has to be looked at.

_PAGE_S = 2.0
"""To find your bearings and press Continue."""
_WORDS_PER_S = 4.0
"""240 words in a minute, about what adults read of plain text (Brysbaert, 2019)."""
_PICTURE_S = 2.0
_LONGEST_WORD = 40
"""What is longer is data, such as a picture written as text."""
_PICTURE_ENDS = (".png", ".jpg", ".jpeg", ".webp", ".svg")
_ASKED_S = {
    "choice": 3.0,
    "dials": 5.0,
    "matrix": 3.0,
    "multiple_choice": 6.0,
    "number": 5.0,
    "ranking": 12.0,
    "rating": 3.0,
    "slider": 4.0,
    "text": 20.0,
}
"""Kind of question -> what an answer takes, without reading; of a matrix, each row, and of dials, each dial."""
_OPTIONAL_SHARE = 0.4
"""Most people leave most optional questions empty."""


def expected_s(trial: Trial) -> float:
    """Return how many seconds a page is expected to take, when the study does not say."""
    shown = [trial.params, *(question.model_dump() for question in trial.asks)]
    if trial.explanation is not None:
        shown.append(trial.explanation.model_dump())
    texts = list(_texts(shown))
    n_words = sum(len([word for word in text.split() if len(word) <= _LONGEST_WORD]) for text in texts)
    n_pictures = sum(text.endswith(_PICTURE_ENDS) for text in texts)
    return _PAGE_S + n_words / _WORDS_PER_S + _PICTURE_S * n_pictures + sum(map(_asked_s, trial.asks))


def _asked_s(question: Question) -> float:
    n_parts = len(getattr(question, "rows", None) or getattr(question, "dials", None) or ("",))
    seconds = n_parts * _ASKED_S.get(question.kind, 3.0)
    return seconds if question.is_required else _OPTIONAL_SHARE * seconds


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, BaseModel):
        yield from _texts(value.model_dump())
    elif isinstance(value, dict):
        yield from _each(value.values())
    elif isinstance(value, list | tuple):
        yield from _each(value)


def _each(values: Iterable[Any]) -> Iterator[str]:
    for value in values:
        yield from _texts(value)


LONGEST = 4.0
"""A page that took longer than this many times what was expected was left open."""


class PlannedVisit(NamedTuple):
    """What is expected of one visit."""

    task: str
    n_pages: int
    seconds: float

    @property
    def page_s(self) -> float:
        """What one of its pages takes."""
        return self.seconds / self.n_pages if self.n_pages else 0.0


class _Estimate(NamedTuple):
    """What is known of a visit before anybody came."""

    kind: PageKind
    n_pages: int
    page_s: float


class Timetable:
    """Plans visits; the same for everybody with the same levels, so that each is worked out once."""

    def __init__(self, script: "Script") -> None:
        self._script = script
        # Two caches: what people took changes with everybody who completes the study, and reading all pages takes long.
        self._estimates: dict[str, _Estimate] = {}
        self._planned: dict[str, PlannedVisit] = {}
        self._usual = UsualTimes()
        self.n_learned = 0
        """How many people who completed the study its times are from."""

    def plan(self, visit: BlockVisit) -> PlannedVisit:
        """Return what is expected of a visit."""
        planned = self._planned.get(visit.visit_id)
        if planned is None:
            planned = self._planned[visit.visit_id] = self._plan(visit)
        return planned

    def learn(self, steps: Sequence[StepEvents]) -> None:
        """Take note of what somebody who completed the study took for its pages, unless they clicked through it."""
        took: defaultdict[PageKind, list[float]] = defaultdict(list)
        spent_s = estimated_s = 0.0
        for step in steps:
            seconds = answered_s(step)
            # Pages that come again after a failed try are skimmed.
            if seconds is not None and step.try_number == 1:
                estimate = self._estimate(BlockVisit(self._script.blocks[step.block_id], step.levels))
                took[estimate.kind].append(min(seconds, LONGEST * estimate.page_s))
                spent_s += took[estimate.kind][-1]
                estimated_s += estimate.page_s
        if spent_s < FASTEST * estimated_s:
            return
        self.n_learned += 1
        for kind, pages in took.items():
            self._usual.note(kind, fmean(pages))
        self._planned.clear()

    def _plan(self, visit: BlockVisit) -> PlannedVisit:
        block = visit.block
        kind, n_pages, page_s = self._estimate(visit)
        seconds = n_pages * self._usual.page_s(kind, page_s)
        if isinstance(block, Stage) and block.minutes is not None:
            seconds = min(seconds, 60 * block.minutes)
        return PlannedVisit(block.task.name, n_pages, round(seconds, 2))

    def _estimate(self, visit: BlockVisit) -> _Estimate:
        estimate = self._estimates.get(visit.visit_id)
        if estimate is None:
            block, ids = visit.block, self._script.all_trial_ids(visit)
            page_s = block.seconds
            if page_s is None:
                page_s = sum(expected_s(self._script.trials[name]) for name in ids) / max(len(ids), 1)
            kind = page_kind(block.block_id, visit.levels, self._script.factors_of(block.block_id))
            estimate = self._estimates[visit.visit_id] = _Estimate(kind, self._n_pages(visit, len(ids)), page_s)
        return estimate

    def _n_pages(self, visit: BlockVisit, n_all: int) -> int:
        stage = visit.block
        if not isinstance(stage, Stage):
            return n_all
        if stage.repeats is not None:
            source = self._script.blocks[stage.repeats]
            n_all = min(n_all, self.plan(BlockVisit(source, {**visit.levels, **source.levels})).n_pages)
        for factor in self._dividing(stage):
            n_all //= len(self._script.study.factor(factor).levels)
        return n_all if stage.n_items is None else min(n_all, stage.n_items)

    def _dividing(self, stage: Stage) -> list[str]:
        """Return the factors over whose levels the items of a stage are dealt."""
        name = stage.items or ""
        rotating = self._script.rotating.get(name)
        found = [self._script.dealt.get(name), None if rotating is None else rotating.rotates_over]
        return [factor for factor in found if factor]


# Pacing: how far a session has come in time, and how much is left at the pace of its person.
#
# What is left is what the timetable expects, corrected by how long the person took for pages of the same task so far. Few
# pages say little, so a correction counts in full only when more time was seen than the constants below.

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


# Parts: where a session is among the parts of its study, and what is announced before a page.


class CurrentPart(NamedTuple):
    """The part at hand."""

    number: int
    n_parts: int
    title: str


class Opening(NamedTuple):
    """What is announced before the first page of a part, or of a stage that follows another."""

    begins_part: bool
    """Whether a part begins; otherwise a stage follows another within a part."""
    text: str
    has_break: bool
    n_pages: int
    """Pages until the next announcement."""
    seconds: float
    """What they are expected to take, at the pace of the person."""


def current_part(agenda: Sequence[BlockVisit], index: int) -> CurrentPart | None:
    """Return the part of a visit; None before the first part, and in studies without any."""
    opening = [(k, visit) for k, visit in enumerate(agenda) if _begins_part(visit)]
    begun = [visit for k, visit in opening if k <= index]
    return CurrentPart(len(begun), len(opening), _title(begun[-1])) if begun else None


def opening_of(
    agenda: Sequence[BlockVisit], index: int, ahead: Sequence[PlannedVisit], pacing: Pacing
) -> Opening | None:
    """Return what is announced before a visit, or None; `ahead` is what is planned for it and all that follow."""
    visit = agenda[index]
    if not _is_announced(agenda, index):
        return None
    later = (k for k in range(index + 1, len(agenda)) if _is_announced(agenda, k))
    planned = ahead[: next(later, len(agenda)) - index]
    part = visit.block.part
    return Opening(
        begins_part=part is not None,
        text=part.text if part else "",
        has_break=part.has_break if part else False,
        n_pages=sum(plan.n_pages for plan in planned),
        seconds=pacing.time_for(planned),
    )


def _is_announced(agenda: Sequence[BlockVisit], index: int) -> bool:
    visit = agenda[index]
    if visit.try_number > 1:
        return False
    # Two stages in a row look alike, so people would go on by the rules of the first.
    follows_stage = index > 0 and isinstance(agenda[index - 1].block, Stage) and isinstance(visit.block, Stage)
    return _begins_part(visit) or follows_stage


def _begins_part(visit: BlockVisit) -> bool:
    return visit.block.part is not None and visit.try_number == 1


def _title(visit: BlockVisit) -> str:
    title = visit.block.part.title if visit.block.part else ""
    return title.replace("{turns}", str(visit.n_turns)).replace("{turn}", str(visit.turn))


# Time budget: how much of the time that a page claims the server's clock allows.


class Credited(NamedTuple):
    """The events of a step with the times that count, and whether the page claimed more."""

    events: list[Event]
    is_excessive: bool


class TimeBudget:
    """What a session can have spent: on each step since it was sent, and on all steps since the session began.

    A page can only see a step after the server has sent it, so an honest claim is never longer than that, however late
    it arrives: an answer given offline is received later, which allows more and not less. The second limit keeps many
    small excesses from adding up.
    """

    def __init__(self, started_ms: int) -> None:
        self._started_ms = started_ms
        self.sent_ms = started_ms
        """When the server sent the step at hand."""
        self._credited_ms = 0.0

    def credit(self, events: Sequence[Event]) -> Credited:
        """Return the events of an answered step, with times cut to what the server saw."""
        answer = events[-1]
        if not isinstance(answer, ResponseGiven) or answer.received_ms is None:
            return Credited(list(events), is_excessive=False)
        of_step = answer.received_ms - self.sent_ms
        of_session = answer.received_ms - self._started_ms - self._credited_ms
        allowed_ms = max(0.0, min(of_step, of_session) + TOLERANCE_MS)
        self.sent_ms = answer.received_ms
        self._credited_ms += min(answer.rt_ms, allowed_ms)
        longest = max(answer.rt_ms, answer.active_ms or 0.0)
        if longest <= allowed_ms:
            return Credited(list(events), is_excessive=False)
        active_ms = None if answer.active_ms is None else min(answer.active_ms, allowed_ms)
        cut = answer.model_copy(update={"rt_ms": min(answer.rt_ms, allowed_ms), "active_ms": active_ms})
        return Credited([*events[:-1], cut], is_excessive=True)
