"""What measures of trials and of sessions have in common; each says what differs."""

from typing import ClassVar, Literal

from understudy.schema import Record


class TrialMeasure(Record):
    """One value for each trial, with neither direction better than the other."""

    unit: ClassVar[Literal["trial", "session"]] = "trial"
    better: ClassVar[Literal["higher", "lower", "neither"]] = "neither"


class SessionMeasure(Record):
    """One value for each session, with neither direction better than the other."""

    unit: ClassVar[Literal["trial", "session"]] = "session"
    better: ClassVar[Literal["higher", "lower", "neither"]] = "neither"
