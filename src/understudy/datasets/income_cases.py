"""Income cases: generated people in eight categories, whose true rule is known."""

from typing import ClassVar

from understudy.classifiers.cases import SplitName
from understudy.classifiers.income import LABELS, income_cases
from understudy.datasets.case_draws import drawn_cases
from understudy.registry import register
from understudy.roles import Rng, Sample
from understudy.schema import Record


@register("datasets", "income_cases")
class IncomeCases(Record):
    """Draws generated people of one part, without replacement; no description stands in two parts."""

    split: SplitName = "test"
    labels: ClassVar[tuple[str, ...]] = LABELS

    def draw(self, n: int, rng: Rng) -> Sample:
        """Return n people with their labels."""
        return drawn_cases(income_cases(), self.split, n, rng)
