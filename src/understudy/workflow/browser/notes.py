"""What a rehearsal in the browser recorded: screens, times and faults."""

from collections import Counter
from statistics import median
from typing import Literal, NamedTuple, TypeAlias

from understudy.conduct import Step
from understudy.schema import Record

FaultKind: TypeAlias = Literal["page error", "console error", "failed request", "stuck", "overflow"]
"""Kinds of page faults; all but an overflow block participants or lose data."""


class PageFault(Record):
    """A fault of a page, and how often it occurred."""

    kind: FaultKind
    block_id: str
    """The current block; empty before the first screen."""
    said: str
    n_times: int


class BlockShown(Record):
    """The screens of one block over all people, and the time from an answer to the next screen."""

    block_id: str
    task: str
    n_screens: int
    median_ms: float
    slowest_ms: float


class BrowserRehearsal(Record):
    """The result of a rehearsal in the browser, which is about pages and not about people."""

    study_name: str
    is_synthetic: Literal[True] = True
    seed: int
    width_px: int
    height_px: int
    n_people: int
    is_full: bool
    """Whether the study ran out of places."""
    outcomes: dict[str, int]
    n_screens: int
    blocks: tuple[BlockShown, ...]
    faults: tuple[PageFault, ...]

    @property
    def has_page_errors(self) -> bool:
        """Whether anything went wrong beyond the layout."""
        return any(fault.kind != "overflow" for fault in self.faults)


class _Block(NamedTuple):
    block_id: str
    task: str


class RehearsalNotes:
    """Collects screens and faults of all people, in order of first appearance."""

    def __init__(self) -> None:
        self._times: dict[_Block, list[float]] = {}
        self._faults: Counter[tuple[FaultKind, str, str]] = Counter()

    def screen(self, step: Step, took_ms: float) -> None:
        """Record a screen, and the time from its answer to the next screen."""
        block = _Block(step.visit.block.block_id, step.trial.task)
        self._times.setdefault(block, []).append(took_ms)

    def fault(self, kind: FaultKind, step: Step | None, message: str) -> None:
        """Record a fault at the current step."""
        self._faults[kind, step.visit.block.block_id if step else "", message] += 1

    @property
    def blocks(self) -> tuple[BlockShown, ...]:
        """The screens by block."""
        return tuple(
            BlockShown(
                block_id=block.block_id, task=block.task, n_screens=len(times), median_ms=round(median(times), 1),
                slowest_ms=round(max(times), 1),
            )
            for block, times in self._times.items()
        )  # fmt: skip

    @property
    def faults(self) -> tuple[PageFault, ...]:
        """The faults, most frequent first."""
        return tuple(
            PageFault(kind=kind, block_id=block_id, said=message, n_times=n)
            for (kind, block_id, message), n in self._faults.most_common()
        )
