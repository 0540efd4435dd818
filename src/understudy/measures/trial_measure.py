"""What measures of single trials have in common; each says what differs."""

from typing import ClassVar, Literal

from understudy.schema import Record


class TrialMeasure(Record):
    """One number for each trial, with neither direction better than the other."""

    unit: ClassVar[Literal["trial", "session"]] = "trial"
    better: ClassVar[Literal["higher", "lower", "neither"]] = "neither"
