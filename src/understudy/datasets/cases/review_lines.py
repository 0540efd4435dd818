"""Review lines: generated sentences about plays, with a known true rule."""

from typing import ClassVar

from understudy.registry import register
from understudy.roles import Rng, Sample
from understudy.schema import Record
from understudy.sources.case_draws import drawn_cases
from understudy.sources.cases import SplitName
from understudy.sources.reviews import LABELS, review_cases


@register("datasets", "review_lines")
class ReviewLines(Record):
    """Draws generated sentences of one split, without replacement; no sentence is in two splits."""

    split: SplitName = "test"
    labels: ClassVar[tuple[str, ...]] = LABELS

    def draw(self, n: int, rng: Rng) -> Sample:
        """Return n sentences with their labels."""
        return drawn_cases(review_cases(), self.split, n, rng)
