"""Tolerance bands: the share of points close enough to the target."""

from pydantic import Field

from understudy.registry import register
from understudy.roles import Floats
from understudy.schema import Record


@register("distances", "tolerance_band")
class ToleranceBand(Record):
    """The share of points less than a tolerance away from the target."""

    tolerance: float = Field(default=0.5, gt=0)

    def agreement(self, shown: Floats, target: Floats) -> Floats:
        """Return the share for each row."""
        result: Floats = (abs(shown - target) < self.tolerance).mean(axis=-1)
        return result
