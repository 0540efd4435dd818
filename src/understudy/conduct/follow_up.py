"""Who may take a later part of a study: decided from what the log holds of the earlier one."""

from collections.abc import Callable
from typing import Protocol

from understudy.schema.follow_up import FollowUp, Standing


class EarlierSession(Protocol):
    """What is known of somebody's session in the earlier part."""

    @property
    def outcome(self) -> str | None:
        """How it ended; None while it runs."""

    @property
    def excluded_by(self) -> str | None:
        """The exclusion that applied."""

    @property
    def last_event_ms(self) -> int:
        """When it ended."""


def is_invited(follows: FollowUp, earlier: EarlierSession | None) -> bool:
    """Tell whether a session of the earlier part invites its person to the later one."""
    if earlier is None or earlier.outcome != "completed":
        return False
    return follows.invites == "completed" or earlier.excluded_by is None


def standing_of(follows: FollowUp, earlier: EarlierSession | None, now_ms: Callable[[], int]) -> Standing:
    """Tell whether somebody may start a later part now, and why not."""
    if earlier is None or not is_invited(follows, earlier):
        return "uninvited"
    return follows.standing_at(now_ms(), earlier.last_event_ms)
