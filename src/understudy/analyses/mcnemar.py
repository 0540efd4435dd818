"""Exact McNemar test: two yes-or-no answers of the same people."""

from typing import ClassVar, Literal

from understudy.analyses.kernels.mcnemar import mcnemar_exact, paired_proportions
from understudy.analyses.results import (
    alternative_of,
    columns_by_name,
    difference_name,
    effect_size,
    limits,
    notes_of,
    share_of,
)
from understudy.analyses.rows import level_pair, yes_or_no
from understudy.analyses.scales import YES_NO
from understudy.registry import register
from understudy.roles import Fit, Rng, Table
from understudy.schema import Estimate, Hypothesis, Record


@register("analyses", "mcnemar")
class McNemar(Record):
    """Compares the shares of yes at two levels seen by the same people, from the discordant pairs."""

    estimand: ClassVar[str] = "the difference of the shares of yes within people"
    fit: ClassVar[Fit] = Fit(YES_NO, unit="either", factor="within", n_levels="two")
    interval_method: Literal["newcombe", "wald"] = "newcombe"
    confidence: float = 0.95

    def estimate(self, table: Table, hypothesis: Hypothesis, rng: Rng) -> Estimate:
        """Return the difference of shares, first level minus second, with the exact p-value and odds ratio."""
        pair = level_pair(table, hypothesis)
        # Called for its check only: other values than 0 and 1 are rejected.
        yes_or_no(pair.rows)
        pairs = pair.wide()
        first, second = pairs.values.astype(bool).T
        # The usual names: b pairs are yes-no and c are no-yes; only these carry information.
        b, c = int((first & ~second).sum()), int((~first & second).sum())
        both, neither = int((first & second).sum()), int((~first & ~second).sum())
        test = mcnemar_exact(b, c, alternative=alternative_of(hypothesis.direction), level=self.confidence)
        shares = paired_proportions([[both, b], [c, neither]], method=self.interval_method, level=self.confidence)
        return Estimate(
            effect=shares.difference,
            effect_name=difference_name(pair.levels, "difference of proportions"),
            null_value=0.0,
            interval=limits(shares.interval, self.confidence),
            statistic=b,
            statistic_name="b",
            p_value=test.p_value,
            n_sessions=len(pairs.units),
            n_rows=pairs.values.size,
            effect_sizes=(
                effect_size("odds ratio", test.odds_ratio, test.odds_ratio_interval, self.confidence, null_value=1.0),
            ),
            groups=tuple(
                share_of(level, values, self.confidence)
                for level, values in columns_by_name(pair.levels, pairs.values).items()
            ),
            details={"both_yes": both, "only_first": b, "only_second": c, "neither": neither},
            notes=notes_of(pairs.notes, _discordance(b, c, pair.levels)),
        )


def _discordance(b: int, c: int, levels: tuple[str, str]) -> str:
    if b + c == 0:
        return "Nobody answers differently at the two levels, so p is 1 and there is no odds ratio."
    unbounded = "" if c else " The odds ratio has no upper limit and no value, since no pair goes the other way."
    return f"Exact test; {b} of {b + c} pairs that disagree are yes at {levels[0]} only.{unbounded}"
