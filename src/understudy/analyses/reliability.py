"""Reliability of a scale: Cronbach's alpha over the items that each person answered."""

import math
from typing import ClassVar

from understudy.analyses.kernels.tails import Interval as Limits
from understudy.analyses.kernels.within_ranks import cronbach_alpha
from understudy.analyses.results import finite, limits, notes_of
from understudy.analyses.rows import text, wide
from understudy.analyses.scales import EITHER_WAY, RANKED, YES_NO
from understudy.registry import register
from understudy.roles import Fit, Rng, Table
from understudy.schema import Estimate, Hypothesis, Record


@register("analyses", "cronbach_alpha")
class CronbachAlpha(Record):
    """Estimates how far the items of a scale measure the same thing; no test."""

    fit: ClassVar[Fit] = Fit(RANKED | YES_NO, unit="trial", needs=frozenset({"item"}), directions=EITHER_WAY)
    confidence: float = 0.95

    def estimate(self, table: Table, hypothesis: Hypothesis, rng: Rng) -> Estimate:
        """Return alpha with Feldt's interval, over people who answered every item."""
        items = tuple(sorted(set(text(table, "item"))))
        if len(items) < 2:
            raise ValueError(f"Cronbach's alpha needs at least 2 items, but the rows hold {len(items)}.")
        cells = wide(table, "item", items)
        alpha, low, high = cronbach_alpha(cells.values, level=self.confidence)
        constant = "Alpha cannot be computed: the sums of people do not vary." if math.isnan(alpha) else ""
        return Estimate(
            effect=finite(alpha),
            effect_name="Cronbach's alpha",
            interval=limits(Limits(low, high), self.confidence),
            n_sessions=len(cells.units),
            n_rows=cells.values.size,
            details={"n_items": float(len(items))},
            notes=notes_of(cells.notes, constant, "Estimation only: no p-value."),
        )
