"""Reliability of a scale: Cronbach's alpha and McDonald's omega over the items that each person answered."""

import math
from typing import ClassVar

from understudy.analyses.kernels.omega import mcdonald_omega
from understudy.analyses.kernels.tails import Interval as Limits
from understudy.analyses.kernels.within_ranks import cronbach_alpha
from understudy.analyses.results import finite, limits, notes_of
from understudy.analyses.rows import Wide, text, wide
from understudy.analyses.scales import EITHER_WAY, RANKED, YES_NO
from understudy.registry import register
from understudy.roles import Fit, Rng, Table
from understudy.schema import Estimate, Hypothesis, Record


class _OfItems(Record):
    fit: ClassVar[Fit] = Fit(RANKED | YES_NO, unit="trial", needs=frozenset({"item"}), directions=EITHER_WAY)
    confidence: float = 0.95


@register("analyses", "cronbach_alpha")
class CronbachAlpha(_OfItems):
    """Estimates how far the items of a scale measure the same thing; no test."""

    estimand: ClassVar[str] = "the reliability of the sum of items"

    def estimate(self, table: Table, hypothesis: Hypothesis, rng: Rng) -> Estimate:
        """Return alpha with Feldt's interval, over people who answered every item."""
        items, cells = _answers(table, "Cronbach's alpha", least=2)
        alpha, low, high = cronbach_alpha(cells.values, level=self.confidence)
        constant = "Alpha cannot be computed: the sums of people do not vary." if math.isnan(alpha) else ""
        return Estimate(
            effect=finite(alpha),
            effect_name="Cronbach's alpha",
            interval=limits(Limits(low, high), self.confidence),
            n_sessions=len(cells.units),
            n_rows=cells.values.size,
            details={"n_items": float(items)},
            notes=notes_of(cells.notes, constant, "Estimation only: no p-value."),
        )


@register("analyses", "omega")
class McDonaldOmega(_OfItems):
    """Estimates how reliable the sum of a scale is whose items share one factor but need not be equally good; no test."""

    estimand: ClassVar[str] = "the reliability of the sum of items that share one factor"

    def estimate(self, table: Table, hypothesis: Hypothesis, rng: Rng) -> Estimate:
        """Return omega total with its jackknife interval, over people who answered every item."""
        items, cells = _answers(table, "Omega", least=3)
        omega = mcdonald_omega(cells.values, level=self.confidence)
        constant = "Omega cannot be computed: an item does not vary." if math.isnan(omega.estimate) else ""
        heywood = "An item seems to have no error of its own (a Heywood case): do not trust this estimate."
        return Estimate(
            effect=finite(omega.estimate),
            effect_name="McDonald's omega",
            interval=limits(omega.interval, self.confidence),
            n_sessions=len(cells.units),
            n_rows=cells.values.size,
            details={"n_items": float(items), "smallest_loading": finite(float(omega.loadings.min()))},
            notes=notes_of(cells.notes, constant, heywood if omega.is_heywood else "", "Estimation only: no p-value."),
        )


def _answers(table: Table, what: str, *, least: int) -> tuple[int, Wide]:
    """Return the number of items and people × items, complete people only."""
    items = tuple(sorted(set(text(table, "item"))))
    if len(items) < least:
        raise ValueError(f"{what} needs at least {least} items, but the rows have {len(items)}.")
    cells = wide(table, "item", items)
    if len(cells.units) < 2:
        raise ValueError(f"{what} needs at least 2 people who answered every item, but the rows have 1.")
    return len(items), cells
