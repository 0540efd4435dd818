"""The common part of datasets whose cases are divided into fixed splits."""

from abc import ABC, abstractmethod

from understudy.roles import Rng, Sample
from understudy.schema import Record
from understudy.sources.case_draws import drawn_cases
from understudy.sources.cases import Cases, SplitName


class CaseSplit(Record, ABC):
    """Draws cases of one split, without replacement; each dataset says where its cases come from."""

    split: SplitName = "test"

    @abstractmethod
    def cases(self) -> Cases:
        """Return all cases, with their splits."""

    def draw(self, n: int, rng: Rng) -> Sample:
        """Return n cases with their labels."""
        return drawn_cases(self.cases(), self.split, n, rng)
