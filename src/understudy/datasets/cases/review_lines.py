"""Review lines: generated sentences about plays, whose true rule is known."""

from typing import ClassVar

from understudy.registry import register
from understudy.roles import Rng, Sample
from understudy.schema import Record
from understudy.sources.case_draws import drawn_cases
from understudy.sources.cases import SplitName
from understudy.sources.reviews import LABELS, review_cases


@register("datasets", "review_lines")
class ReviewLines(Record):
    """Draws generated sentences of one part, without replacement; no sentence stands in two parts."""

    split: SplitName = "test"
    labels: ClassVar[tuple[str, ...]] = LABELS

    def draw(self, n: int, rng: Rng) -> Sample:
        """Return n sentences with their labels."""
        return drawn_cases(review_cases(), self.split, n, rng)
