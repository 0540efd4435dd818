"""Count participants by the status of their session, for the status command, the dashboard and the report."""

from collections import Counter
from collections.abc import Collection, Iterable
from typing import Literal, NamedTuple, TypeAlias, get_args

from understudy.schema import Ending

SessionStatus: TypeAlias = Literal[
    "declined",
    "screened_out",
    "withdrew",
    "abandoned",
    "active",
    "excluded_by_rule",
    "excluded_by_hand",
    "completed",
]
SESSION_STATUSES: tuple[SessionStatus, ...] = get_args(SessionStatus)
"""Every status in the order of a session; each session has exactly one."""
LEFT_EARLY: tuple[SessionStatus, ...] = ("withdrew", "abandoned")
"""The statuses of people who left before the end."""


def session_status(outcome: Ending | None, excluded_by: str | None, rules: Collection[str]) -> SessionStatus:
    """Return the status of a session; `rules` are the exclusions that the study declares.

    A person who left before the end is never counted as excluded as well.
    """
    if outcome is None:
        return "active"
    if outcome == "excluded" or (outcome == "completed" and excluded_by is not None):
        return "excluded_by_rule" if excluded_by in rules else "excluded_by_hand"
    return outcome


class Headcount(NamedTuple):
    """How many sessions have each status."""

    at: Counter[SessionStatus]
    n_erased: int = 0
    """Sessions erased on request; they count as left early."""

    @property
    def n_came(self) -> int:
        """All sessions, erased ones included."""
        return self.at.total() + self.n_erased

    @property
    def n_left(self) -> int:
        """Sessions that ended early, erased ones included."""
        return sum(self.at[stop] for stop in LEFT_EARLY) + self.n_erased

    @property
    def n_excluded(self) -> int:
        """Sessions excluded by a rule or by hand."""
        return self.at["excluded_by_rule"] + self.at["excluded_by_hand"]

    @property
    def n_gone(self) -> int:
        """Sessions that were declined, screened out or left early."""
        return self.at["declined"] + self.at["screened_out"] + self.n_left


def headcount(stops: Iterable[SessionStatus], *, n_erased: int = 0) -> Headcount:
    """Count sessions by status."""
    return Headcount(Counter(stops), n_erased)
