"""Review lines: generated sentences about plays, with a known true rule."""

from typing import ClassVar

from understudy.datasets.cases.case_split import CaseSplit
from understudy.registry import register
from understudy.sources.cases import Cases
from understudy.sources.reviews import LABELS, review_cases


@register("datasets", "review_lines")
class ReviewLines(CaseSplit):
    """Draws generated sentences of one split, without replacement; no sentence is in two splits."""

    labels: ClassVar[tuple[str, ...]] = LABELS

    def cases(self) -> Cases:
        """Return all sentences."""
        return review_cases()
