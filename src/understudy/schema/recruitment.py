"""Recruitment: where participants come from, and what that place has to tell them before they start."""

from typing import Literal, TypeAlias

from pydantic import Field

from understudy.schema.events import Ending
from understudy.schema.record import Record
from understudy.schema.ref import Ref

Device: TypeAlias = Literal["desktop", "tablet", "mobile"]
SentBack: TypeAlias = Ending | Literal["full"]
"""How it ended for somebody who goes back to the recruiter; full: every place was taken when they came."""
SENT_BACK: tuple[SentBack, ...] = (
    "completed", "excluded", "screened_out", "declined", "withdrew", "abandoned", "full",
)  # fmt: skip
"""Every way to be sent back. In the words of platforms, declined means no consent, and abandoned means timed out."""


class Recruitment(Record):
    """Where participants come from; minutes and reward are those of `pay`."""

    recruiter: Ref
    title: str = ""
    """What people read in the recruiter's list of studies; by default the study's shown_title."""
    description: str = ""
    """What people read before they decide to start."""
    devices: tuple[Device, ...] = ()
    """What people may use; anything when empty."""
    places: int | None = Field(default=None, ge=1, le=1_000_000)
    """How many people are wanted; by default the sum of the quotas."""
    hourly_minimum: float | None = Field(default=None, gt=0)
    """The least that people should earn in an hour, in the currency of `pay`; `understudy pay` warns below it."""
