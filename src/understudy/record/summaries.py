"""Summaries of sessions that need no reading of events."""

from typing import Literal, NamedTuple

from understudy.schema import Assignment, Ending


class SessionSummary(NamedTuple):
    """The summary of one session."""

    session_id: str
    participant_id: str
    participant_kind: Literal["person", "synthetic"]
    study_digest: str
    assignment: Assignment
    started_ms: int
    last_event_ms: int
    """The latest time of any of its events."""
    outcome: Ending | None
    """The latest outcome; None while the session is running."""
    excluded_by: str | None
    """The first exclusion that applied; None if none did."""

    @property
    def condition(self) -> str:
        """The condition it was assigned to."""
        return self.assignment.condition


class Tombstone(NamedTuple):
    """What remains of an erased session: enough to count it, and nothing about the person."""

    session_hash: str
    """Hash of the session id; the id itself is gone."""
    study_name: str
    condition: str
    participant_kind: Literal["person", "synthetic"]
    outcome: Ending | None
    is_excluded: bool
    erased_ms: int

    @property
    def is_completed(self) -> bool:
        """Whether the participant had completed the session."""
        return self.outcome == "completed"
