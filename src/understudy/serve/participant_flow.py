"""Flow: where everybody who came to a study went, counted as the report counts it."""

from collections import Counter
from collections.abc import Container, Sequence

from understudy.record import SessionSummary, Tombstone

_LEFT = frozenset({"withdrew", "abandoned"})
STOPS = ("declined", "screened_out", "left", "active", "excluded_by_rule", "excluded_by_hand", "completed")
"""Every place where somebody can be, in the order of the way; each person is at exactly one."""


def participant_flow(
    summaries: Sequence[SessionSummary], erased: Sequence[Tombstone], rules: Container[str]
) -> dict[str, int]:
    """Count the recruited and where they are now; `rules` are the exclusions that the study declares."""
    places = Counter(_place(one, rules) for one in summaries)
    places["left"] += len(erased)
    return {"recruited": len(summaries) + len(erased), **{stop: places[stop] for stop in STOPS}}


def _place(summary: SessionSummary, rules: Container[str]) -> str:
    """Name the place; who went before the end is never counted as excluded, too."""
    outcome = summary.outcome or "active"
    if outcome in _LEFT:
        return "left"
    if outcome in ("completed", "excluded") and summary.excluded_by is not None:
        return "excluded_by_rule" if summary.excluded_by in rules else "excluded_by_hand"
    return outcome
