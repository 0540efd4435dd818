"""Income cases: generated people in eight categories, with a known true rule."""

from typing import ClassVar

from understudy.datasets.cases.case_split import CaseSplit
from understudy.registry import register
from understudy.sources.cases import Cases
from understudy.sources.income import LABELS, income_cases


@register("datasets", "income_cases")
class IncomeCases(CaseSplit):
    """Draws generated people of one split, without replacement; no description is in two splits."""

    labels: ClassVar[tuple[str, ...]] = LABELS

    def cases(self) -> Cases:
        """Return all people."""
        return income_cases()
