"""Reliance over two phases, and whether people with a model do better than either alone."""

from __future__ import annotations

from math import inf, isnan
from typing import ClassVar, Literal, NamedTuple, Self, TypeAlias

import numpy as np
from pydantic import model_validator

from understudy.analyses.results import (
    NUMBERS,
    YES_NO,
    alternative_of,
    effect_estimate,
    finite,
    finite_df,
    limits,
    notes_of,
    spread_note,
)
from understudy.analyses.rows import TwoSamples, level_pair, numbers, phase_pairs, text, two_samples, yes_or_no
from understudy.deferred.pandas import pd
from understudy.registry import register
from understudy.roles import Fit, Rng, Table
from understudy.schema import Estimate, GroupSummary, Hypothesis, Record
from understudy.statistics.counts import PooledRate, pooled_rate, rate_difference
from understudy.statistics.t_tests import TTest, t_test_one_sample, t_test_paired, t_test_welch

# Complementarity: whether people with a model's help do better than people alone and than the model alone.


class _Comparison(NamedTuple):
    baseline: str
    test: TTest


def _weakness(comparison: _Comparison) -> float:
    """Without spread there is no test at all, which counts as the weakest."""
    return inf if isnan(comparison.test.p_value) else comparison.test.p_value


@register("analyses", "complementarity")
class Complementarity(Record):
    """Tests that the first level, people with help, exceeds both the second, people alone, and the model alone."""

    estimand: ClassVar[str] = "how far people with help exceed the better of people alone and the model alone"
    fit: ClassVar[Fit] = Fit(NUMBERS, factor="any", n_levels="two")
    model_score: float
    """What the model reaches alone, in the outcome's unit, such as its accuracy on the same items."""
    confidence: float = 0.95

    def estimate(self, table: Table, hypothesis: Hypothesis, rng: Rng) -> Estimate:
        """Return how far the first level lies above the stronger baseline; p is the larger of both tests.

        An intersection-union test (Berger 1982): both differences must be shown, so neither is corrected. Two-sided, it
        doubles the smaller of the p-values of being above both and of being below both.
        """
        samples = two_samples(table, hypothesis, least=2)
        ways: dict[Literal["greater", "less"], _Comparison] = {
            "greater": self._weaker(samples, "greater"),
            "less": self._weaker(samples, "less"),
        }
        if hypothesis.direction in ("greater", "less"):
            weaker = ways["greater" if hypothesis.direction == "greater" else "less"]
            p_value = weaker.test.p_value
        else:
            weaker = min(ways.values(), key=_weakness)
            p_value = weaker.test.p_value if isnan(weaker.test.p_value) else min(1.0, 2 * weaker.test.p_value)
        test = weaker.test._replace(p_value=p_value)
        estimate = effect_estimate(
            test.estimate,
            test,
            name=f"{samples.levels[0]} minus {weaker.baseline}",
            statistic="t",
            level=self.confidence,
        )
        means = {
            name: float(values.mean())
            for name, values in ((samples.levels[0], samples.first), (samples.levels[1], samples.second))
        }
        return estimate.model_copy(
            update={
                "df": finite_df(test.df),
                "n_sessions": samples.n_people,
                "n_rows": samples.n_rows,
                "groups": samples.summaries(self.confidence),
                "details": {
                    "model_score": self.model_score,
                    "above_people": means[samples.levels[0]] - means[samples.levels[1]],
                    "above_model": means[samples.levels[0]] - self.model_score,
                    "standard_error": finite(test.standard_error),
                },
                "notes": notes_of(samples.notes, spread_note(p_value)),
            }
        )

    def _weaker(self, samples: TwoSamples, alternative: Literal["greater", "less"]) -> _Comparison:
        """Return the comparison that is harder to show; the model's score is taken as known without error."""
        test_of = t_test_paired if samples.is_paired else t_test_welch
        alone = test_of(samples.first, samples.second, alternative=alternative, level=self.confidence)
        model = t_test_one_sample(
            samples.first - self.model_score, mean=0.0, alternative=alternative, level=self.confidence
        )
        both = (_Comparison(samples.levels[1], alone), _Comparison("the model", model))
        return max(both, key=_weakness)


RelianceIndex: TypeAlias = Literal["rair", "rsr", "gain", "harm"]
_NAMES: dict[RelianceIndex, str] = {
    "rair": "RAIR (wrong at first, right advice: corrected)",
    "rsr": "RSR (right at first, wrong advice: kept)",
    "gain": "share of wrong decisions that became right",
    "harm": "share of right decisions that became wrong",
}


@register("analyses", "reliance")
class Reliance(Record):
    """Estimates how often people take right advice and resist wrong advice, from decisions before and after it.

    The outcome is right or wrong, `factor` is the phase with the advised one first, and `other` is whether the advice
    is right.
    """

    estimand: ClassVar[str] = "how often people take right advice and resist wrong advice"
    index: RelianceIndex = "rair"
    """rair and rsr (Schemmer et al. 2023), or how often wrong became right and right became wrong."""
    between: str | None = None
    """A factor between people whose two levels are compared."""
    groups: tuple[str, str] | None = None
    """The two levels, first minus second."""
    confidence: float = 0.95

    @model_validator(mode="after")
    def _groups_belong_to_a_factor(self) -> Self:
        if (self.between is None) != (self.groups is None):
            raise ValueError("Name the factor in `between` and its two levels in `groups`, or neither.")
        return self

    @property
    def fit(self) -> Fit:
        """Return the fit: right or wrong on single trials in two phases, with the advice in `other`."""
        return Fit(
            YES_NO,
            unit="trial",
            factor="within",
            n_levels="two",
            needs=frozenset({"other", "item"}),
            other_scales=YES_NO,
            reads=tuple((self.between, level) for level in self.groups or ()) if self.between else (),
        )

    def estimate(self, table: Table, hypothesis: Hypothesis, rng: Rng) -> Estimate:
        """Return the rate over all cases with its interval, or the difference of two groups with its t test."""
        yes_or_no(table)
        pairs = phase_pairs(table, hypothesis, self.between)
        advice = _advice(table, hypothesis)
        rows = pairs.rows.merge(advice, on=["participant", "item"], how="left")
        names: tuple[str, ...] = self.groups or ("",)
        rates = [self._rate(rows[rows["group"] == name] if self.groups else rows) for name in names]
        test = rate_difference(
            rates[0],
            rates[1] if self.groups else None,
            alternative=alternative_of(hypothesis.direction),
            level=self.confidence,
        )
        is_tested = self.groups is not None
        shown = f" ({names[0]} - {names[1]})" if self.groups else ""
        return Estimate(
            effect=finite(test.estimate),
            effect_name=f"{'difference of ' if self.groups else ''}{_NAMES[self.index]}{shown}",
            null_value=0.0 if is_tested else None,
            interval=limits(test.interval, self.confidence),
            statistic=finite(test.statistic) if is_tested else None,
            statistic_name="t" if is_tested else "",
            df=finite_df(test.df) if is_tested else (),
            p_value=finite(test.p_value) if is_tested else None,
            n_sessions=pairs.n_people,
            n_rows=2 * len(pairs.rows),
            groups=tuple(
                GroupSummary(group=name or "all", n=int(rate.n_cases), mean=finite(rate.estimate))
                for name, rate in zip(names, rates, strict=True)
            ),
            details={"n_cases": sum(rate.n_cases for rate in rates), "standard_error": finite(test.standard_error)},
            notes=notes_of(pairs.note, self._notes(rates, is_tested=is_tested, is_known=np.isfinite(test.p_value))),
        )

    def _rate(self, rows: pd.DataFrame) -> PooledRate:
        # `first` is the decision with advice in view and `second` the one before it.
        was_right, advice_right, is_right = rows["second"] == 1, rows["advice"] == 1, rows["first"] == 1
        is_case, happened = {
            "rair": (~was_right & advice_right, is_right),
            "rsr": (was_right & ~advice_right, is_right),
            "gain": (~was_right, is_right),
            "harm": (was_right, ~is_right),
        }[self.index]
        by_person = (
            pd.DataFrame({"case": is_case, "event": is_case & happened}).groupby(text(rows, "participant")).sum()
        )
        return pooled_rate(by_person["event"], by_person["case"])

    def _notes(self, rates: list[PooledRate], *, is_tested: bool, is_known: bool) -> tuple[str, ...]:
        empty = "No decision was a case of this rate." if any(rate.n_cases == 0 for rate in rates) else ""
        if not is_tested:
            return notes_of(empty, "Estimation only: no p-value; name two groups of people to compare.")
        return notes_of(empty, "" if is_known else "No test: the rates do not vary between people.")


def _advice(table: Table, hypothesis: Hypothesis) -> pd.DataFrame:
    """Return whether the advice about each person's item is right."""
    rows = level_pair(table, hypothesis).rows
    advice = pd.DataFrame(
        {"participant": text(rows, "participant"), "item": text(rows, "item"), "advice": numbers(rows, "other")}
    ).drop_duplicates()
    if advice.duplicated(["participant", "item"]).any():
        raise ValueError("The advice about an item is right in one phase and wrong in the other; `other` must agree.")
    return advice
