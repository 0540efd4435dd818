"""Tables: what the plan engine reads, one row per trial and one row per participant."""

from dataclasses import dataclass

import pandas as pd


@dataclass(frozen=True)
class Tables:
    """Trials and sessions of everyone who is analysed.

    Both have a `participant` column and one column per measure of their unit. Trials have every factor and, where
    there are items, `item`; sessions have the factors that vary between people.
    """

    trials: pd.DataFrame
    sessions: pd.DataFrame
