"""Income cases: generated people in eight categories, with a known true rule."""

from typing import ClassVar

from understudy.registry import register
from understudy.roles import Rng, Sample
from understudy.schema import Record
from understudy.sources.case_draws import drawn_cases
from understudy.sources.cases import SplitName
from understudy.sources.income import LABELS, income_cases


@register("datasets", "income_cases")
class IncomeCases(Record):
    """Draws generated people of one split, without replacement; no description is in two splits."""

    split: SplitName = "test"
    labels: ClassVar[tuple[str, ...]] = LABELS

    def draw(self, n: int, rng: Rng) -> Sample:
        """Return n people with their labels."""
        return drawn_cases(income_cases(), self.split, n, rng)
