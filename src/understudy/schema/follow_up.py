"""Follow-up: which earlier part a study continues, who is invited to it, and when."""

from typing import Literal, TypeAlias

from pydantic import Field

from understudy.schema.record import Name, Record

Standing: TypeAlias = Literal["welcome", "uninvited", "early", "late"]
DAY_MS = 24 * 3_600_000


class FollowUp(Record):
    """The earlier part of a longitudinal study; a person has the same pseudonym in both."""

    study: Name
    """The name of the earlier part."""
    after_days: float = Field(default=0.0, ge=0)
    """How long after the end of the earlier part a person may start."""
    within_days: float | None = Field(default=None, gt=0)
    """Until how long after the end of the earlier part; without an end by default."""
    invites: Literal["counted", "completed"] = "counted"
    """counted: people who completed the earlier part and are not excluded; completed: excluded people too."""
    keeps_condition: bool = True
    """Whether people stay in their condition, which must have the same name in both parts."""

    def window_ms(self, ended_ms: int) -> tuple[int, int | None]:
        """Return from when and until when somebody may start who ended the earlier part then."""
        opens = ended_ms + round(self.after_days * DAY_MS)
        return opens, None if self.within_days is None else ended_ms + round(self.within_days * DAY_MS)

    def standing_at(self, now_ms: int, ended_ms: int) -> Standing:
        """Tell whether an invited person may start now."""
        opens, closes = self.window_ms(ended_ms)
        if now_ms < opens:
            return "early"
        return "late" if closes is not None and now_ms > closes else "welcome"
