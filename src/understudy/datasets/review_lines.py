"""Review lines: generated sentences about plays, whose true rule is known."""

from typing import ClassVar

from understudy.classifiers.cases import SplitName
from understudy.classifiers.reviews import LABELS, review_cases
from understudy.datasets.case_draws import drawn_cases
from understudy.registry import register
from understudy.roles import Rng, Sample
from understudy.schema import Record


@register("datasets", "review_lines")
class ReviewLines(Record):
    """Draws generated sentences of one part, without replacement; no sentence stands in two parts."""

    split: SplitName = "test"
    labels: ClassVar[tuple[str, ...]] = LABELS

    def draw(self, n: int, rng: Rng) -> Sample:
        """Return n sentences with their labels."""
        return drawn_cases(review_cases(), self.split, n, rng)
