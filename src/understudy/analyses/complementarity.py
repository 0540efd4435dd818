"""Complementarity: whether people with a model's help do better than people alone and than the model alone."""

from math import inf, isnan
from typing import ClassVar, Literal, NamedTuple

from understudy.analyses.estimates import effect_estimate
from understudy.analyses.kernels.t_tests import TTest, t_test_one_sample, t_test_paired, t_test_welch
from understudy.analyses.results import finite, finite_df, notes_of, spread_note
from understudy.analyses.scales import NUMBERS
from understudy.analyses.two_samples import TwoSamples, two_samples
from understudy.registry import register
from understudy.roles import Fit, Rng, Table
from understudy.schema import Estimate, Hypothesis, Record


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
