"""Tests of several levels seen by the same people that assume no normal values: Friedman's and Cochran's Q."""

import math
from typing import ClassVar

from understudy.analyses.estimates import omnibus_estimate
from understudy.analyses.kernels.within_ranks import WithinTest, cochran_q, friedman
from understudy.analyses.results import columns_by_name, effect_size, notes_of, refuse_direction, share_of, summaries_of
from understudy.analyses.rows import Wide, compared_levels, factor_of, rows_of_levels, wide, yes_or_no
from understudy.analyses.scales import EITHER_WAY, RANKED, YES_NO
from understudy.registry import register
from understudy.roles import Fit, Rng, Table
from understudy.schema import Estimate, Hypothesis, Record

_SAME = "No test: everybody has the same value at every level."


@register("analyses", "friedman")
class Friedman(Record):
    """Compares several levels seen by the same people, by each person's ranks."""

    estimand: ClassVar[str] = "differences between the mean ranks of levels within people"
    fit: ClassVar[Fit] = Fit(RANKED, factor="within", n_levels="many", directions=EITHER_WAY)
    confidence: float = 0.95

    def estimate(self, table: Table, hypothesis: Hypothesis, rng: Rng) -> Estimate:
        """Return Friedman's χ², tie-corrected, with Kendall's W."""
        refuse_direction(hypothesis.direction, "Friedman's test")
        levels, cells = _cells(table, hypothesis)
        groups = summaries_of(columns_by_name(levels, cells.values), self.confidence)
        estimate = _estimate(friedman(cells.values), cells, name="Kendall's W", statistic="χ²")
        return estimate.model_copy(update={"groups": groups})


@register("analyses", "cochran_q")
class CochranQ(Record):
    """Compares the shares of yes at several levels seen by the same people."""

    estimand: ClassVar[str] = "differences between the shares of yes within people"
    fit: ClassVar[Fit] = Fit(YES_NO, factor="within", n_levels="many", directions=EITHER_WAY)
    confidence: float = 0.95

    def estimate(self, table: Table, hypothesis: Hypothesis, rng: Rng) -> Estimate:
        """Return Q with its share of the largest possible Q."""
        refuse_direction(hypothesis.direction, "Cochran's Q")
        # Called for its check only: other values than 0 and 1 are rejected.
        yes_or_no(table)
        levels, cells = _cells(table, hypothesis)
        shares = columns_by_name(levels, cells.values)
        groups = tuple(share_of(level, values, self.confidence) for level, values in shares.items())
        estimate = _estimate(cochran_q(cells.values), cells, name="Q / largest Q", statistic="Q")
        return estimate.model_copy(update={"groups": groups})


def _cells(table: Table, hypothesis: Hypothesis) -> tuple[tuple[str, ...], Wide]:
    factor, levels = factor_of(hypothesis), compared_levels(table, hypothesis)
    return levels, wide(rows_of_levels(table, factor, levels), factor, levels)


def _estimate(test: WithinTest, cells: Wide, *, name: str, statistic: str) -> Estimate:
    size = effect_size(name, test.share, None, 0.95)
    return omnibus_estimate(size, test, statistic=statistic, df=(test.df,)).model_copy(
        update={
            "n_sessions": test.n_people,
            "n_rows": cells.values.size,
            "notes": notes_of(cells.notes, _SAME if math.isnan(test.p_value) else ""),
        }
    )
