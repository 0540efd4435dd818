"""Times compared on the log scale: how many times as long one level takes as another."""

from typing import ClassVar

import numpy as np

from understudy.analyses.kernels.t_tests import t_test_paired, t_test_welch
from understudy.analyses.kernels.tails import Interval
from understudy.analyses.results import (
    alternative_of,
    effect_size,
    finite,
    finite_df,
    limits,
    notes_of,
    spread_note,
)
from understudy.analyses.two_samples import two_samples
from understudy.registry import register
from understudy.roles import Fit, Rng, Table
from understudy.schema import Estimate, Hypothesis, Record, Scale

_TIMES: frozenset[Scale] = frozenset({"time"})


@register("analyses", "log_time")
class LogTime(Record):
    """Compares times of two levels by a t test of their logarithms, within or between people."""

    estimand: ClassVar[str] = "the ratio of geometric means"
    fit: ClassVar[Fit] = Fit(_TIMES, factor="any", n_levels="two")
    confidence: float = 0.95

    def estimate(self, table: Table, hypothesis: Hypothesis, rng: Rng) -> Estimate:
        """Return the ratio of geometric means, first level to second, with its interval and t test."""
        samples = two_samples(table, hypothesis, least=2)
        smallest = min(samples.first.min(), samples.second.min())
        if smallest <= 0:
            raise ValueError(f"The values contain {smallest:g}; only numbers above 0 have a logarithm.")
        test_of = t_test_paired if samples.is_paired else t_test_welch
        alternative = alternative_of(hypothesis.direction)
        test = test_of(np.log(samples.first), np.log(samples.second), alternative=alternative, level=self.confidence)
        ratio_limits = Interval(*np.exp(test.interval))
        return Estimate(
            effect=float(np.exp(test.estimate)),
            effect_name=f"ratio of geometric means ({samples.levels[0]} / {samples.levels[1]})",
            null_value=1.0,
            interval=limits(ratio_limits, self.confidence),
            statistic=finite(test.statistic),
            statistic_name="t",
            df=finite_df(test.df),
            p_value=finite(test.p_value),
            n_sessions=samples.n_people,
            n_rows=samples.n_rows,
            effect_sizes=(
                effect_size("d_z" if samples.is_paired else "Cohen's d", test.d.d, test.d.interval, self.confidence),
            ),
            groups=samples.summaries(self.confidence),
            details={
                f"geometric_mean_{samples.levels[0]}": float(np.exp(np.log(samples.first).mean())),
                f"geometric_mean_{samples.levels[1]}": float(np.exp(np.log(samples.second).mean())),
                "standard_error_of_log_ratio": finite(test.standard_error),
            },
            notes=notes_of(samples.notes, spread_note(test.p_value)),
        )
