"""Parts: where a session is among the parts of its study, and what is announced before a page."""

from collections.abc import Sequence
from typing import NamedTuple

from understudy.conduct.block_visits import BlockVisit
from understudy.conduct.pacing import Pacing
from understudy.conduct.timetable import PlannedVisit
from understudy.schema import Stage


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
