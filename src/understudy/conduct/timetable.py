"""Timetable: how many pages each visit of a session has, and how long they are expected to take."""

from collections import defaultdict
from collections.abc import Sequence
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

from understudy.conduct.block_visits import BlockVisit
from understudy.conduct.expected_time import expected_s
from understudy.conduct.scoring import StepEvents
from understudy.conduct.usual_time import FASTEST, PageKind, UsualTimes, answered_s, page_kind
from understudy.schema import Stage

if TYPE_CHECKING:
    from understudy.conduct.script import Script  # which has a timetable


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
