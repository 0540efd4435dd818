"""Time budget: how much of the time that a page claims the server's clock allows."""

from collections.abc import Sequence
from typing import NamedTuple

from understudy.schema import Event, ResponseGiven
from understudy.schema.events import TOLERANCE_MS


class Credited(NamedTuple):
    """The events of a step with the times that count, and whether the page claimed more."""

    events: list[Event]
    is_excessive: bool


class TimeBudget:
    """What a session can have spent: on each step since it was sent, and on all steps since the session began.

    A page can only see a step after the server has sent it, so an honest claim is never longer than that, however late
    it arrives: an answer given offline is received later, which allows more and not less. The second limit keeps many
    small excesses from adding up.
    """

    def __init__(self, started_ms: int) -> None:
        self._started_ms = started_ms
        self.sent_ms = started_ms
        """When the server sent the step at hand."""
        self._credited_ms = 0.0

    def credit(self, events: Sequence[Event]) -> Credited:
        """Return the events of an answered step, with times cut to what the server saw."""
        answer = events[-1]
        if not isinstance(answer, ResponseGiven) or answer.received_ms is None:
            return Credited(list(events), is_excessive=False)
        of_step = answer.received_ms - self.sent_ms
        of_session = answer.received_ms - self._started_ms - self._credited_ms
        allowed_ms = max(0.0, min(of_step, of_session) + TOLERANCE_MS)
        self.sent_ms = answer.received_ms
        self._credited_ms += min(answer.rt_ms, allowed_ms)
        longest = max(answer.rt_ms, answer.active_ms or 0.0)
        if longest <= allowed_ms:
            return Credited(list(events), is_excessive=False)
        active_ms = None if answer.active_ms is None else min(answer.active_ms, allowed_ms)
        cut = answer.model_copy(update={"rt_ms": min(answer.rt_ms, allowed_ms), "active_ms": active_ms})
        return Credited([*events[:-1], cut], is_excessive=True)
