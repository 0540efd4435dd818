"""What the log knows of a session without reading its events."""

from typing import Literal, NamedTuple

from understudy.schema import Assignment, Ending


class SessionSummary(NamedTuple):
    """One session at a glance."""

    session_id: str
    participant_id: str
    participant_kind: Literal["person", "synthetic"]
    study_digest: str
    assignment: Assignment
    started_ms: int
    last_event_ms: int
    """The latest time any of its events carries."""
    outcome: Ending | None
    """How it ended last; None while it runs."""
    excluded_by: str | None
    """The exclusion that took it out first; None while it counts."""

    @property
    def condition(self) -> str:
        """The condition it was assigned to."""
        return self.assignment.condition


class Tombstone(NamedTuple):
    """What is left of an erased session: enough to count it, and nothing of the person."""

    session_hash: str
    """Recognises the session when its id is given; the id itself is gone."""
    study_name: str
    condition: str
    participant_kind: Literal["person", "synthetic"]
    outcome: Ending | None
    is_excluded: bool
    erased_ms: int

    @property
    def is_completed(self) -> bool:
        """Whether the participant had come to the end."""
        return self.outcome == "completed"
