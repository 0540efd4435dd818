"""Tables for the plan engine: one row per trial and one row per participant."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

import pandas as pd


class PlanTables(Protocol):
    """Trials and sessions of all analysed participants.

    Both have a `participant` column and one column per measure of their unit. Trials have every factor and, where
    there are items, `item`; sessions have the factors that vary between people.
    """

    @property
    def sessions(self) -> pd.DataFrame:
        """Return one row per participant."""

    @property
    def partial(self) -> frozenset[str]:
        """Return the participants who left before the end."""

    def trial_parts(self) -> Iterator[pd.DataFrame]:
        """Yield the trials part by part; no participant is split between parts, and no two rows share an index."""

    def answer_parts(self) -> Iterator[pd.DataFrame]:
        """Yield the answers to compared questions in the same way; nothing in studies that compare none."""


@dataclass(frozen=True)
class Tables:
    """Both tables in memory."""

    trials: pd.DataFrame
    sessions: pd.DataFrame
    partial: frozenset[str] = frozenset()
    answers: pd.DataFrame | None = None
    """One row per compared question of a trial."""

    def trial_parts(self) -> Iterator[pd.DataFrame]:
        """Yield the trials as one part."""
        yield self.trials

    def answer_parts(self) -> Iterator[pd.DataFrame]:
        """Yield the answers as one part, if there are any."""
        if self.answers is not None:
            yield self.answers


@dataclass(frozen=True)
class StreamedTables:
    """Tables whose trials are read when needed, because they may not fit in memory."""

    read_parts: Callable[[], Iterator[pd.DataFrame]]
    sessions: pd.DataFrame
    partial: frozenset[str] = frozenset()
    read_answers: Callable[[], Iterator[pd.DataFrame]] = lambda: iter(())

    def trial_parts(self) -> Iterator[pd.DataFrame]:
        """Read the trials part by part."""
        return self.read_parts()

    def answer_parts(self) -> Iterator[pd.DataFrame]:
        """Read the answers part by part."""
        return self.read_answers()
