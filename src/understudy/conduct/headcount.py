"""Headcount: where everybody who came to a study is now. The one counter behind status, dashboard and report."""

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
"""Every place where somebody can be, in the order of a session; each person is at exactly one."""
LEFT_EARLY: tuple[SessionStatus, ...] = ("withdrew", "abandoned")
"""The stops of people who left before the end."""


def session_status(outcome: Ending | None, excluded_by: str | None, rules: Collection[str]) -> SessionStatus:
    """Say where a session is; `rules` are the exclusions that the study declares.

    Somebody who left before the end is never counted as excluded as well.
    """
    if outcome is None:
        return "active"
    if outcome == "excluded" or (outcome == "completed" and excluded_by is not None):
        return "excluded_by_rule" if excluded_by in rules else "excluded_by_hand"
    return outcome


class Headcount(NamedTuple):
    """How many people are at each stop."""

    at: Counter[SessionStatus]
    n_erased: int = 0
    """Erased at the participant's wish; they count as having left."""

    @property
    def n_came(self) -> int:
        """Everybody, erased sessions included."""
        return self.at.total() + self.n_erased

    @property
    def n_left(self) -> int:
        """Left before the end, erased sessions included."""
        return sum(self.at[stop] for stop in LEFT_EARLY) + self.n_erased

    @property
    def n_excluded(self) -> int:
        """Taken out of the sample, by a rule or by hand."""
        return self.at["excluded_by_rule"] + self.at["excluded_by_hand"]

    @property
    def n_gone(self) -> int:
        """Declined, screened out or left; neither under way, nor completed, nor excluded."""
        return self.at["declined"] + self.at["screened_out"] + self.n_left


def headcount(stops: Iterable[SessionStatus], *, n_erased: int = 0) -> Headcount:
    """Count people by where they are."""
    return Headcount(Counter(stops), n_erased)
