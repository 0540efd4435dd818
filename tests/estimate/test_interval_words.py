"""Where interval and test disagree about no effect, the finding says why."""

import pytest

from understudy.estimate.verdicts import interval_words
from understudy.schema import Estimate, Hypothesis, Interval, Ref, Verdict


def said(verdict: Verdict, low: float, *, p: float, direction: str = "different") -> str:
    estimate = Estimate(
        effect=1.0, effect_name="mean difference", null_value=0.0, interval=Interval(low=low, high=2.0, level=0.95),
        p_value=p, n_sessions=9, n_rows=9,
    )  # fmt: skip
    claim = Hypothesis.model_validate(
        {"hypothesis_id": "h", "claim": "c", "outcome": "o", "direction": direction, "analysis": Ref(name="welch_t")}
    )
    return " ".join(interval_words(claim, estimate, verdict))


@pytest.mark.parametrize(
    ("verdict", "low", "p", "direction", "words"),
    [
        ("supported", -0.1, 0.03, "greater", "includes 0, which the test rejects: its 0.05 is for both sides"),
        (
            "supported",
            -0.1,
            0.04,
            "different",
            "includes 0, which the test rejects: they are computed in different ways",
        ),
        (
            "not_supported",
            0.1,
            0.03,
            "different",
            "excludes 0, which the test does not reject: only the test is corrected",
        ),
        ("not_supported", 0.1, 0.06, "different", "excludes 0, which the test does not reject: they are computed"),
    ],
)
def test_a_disagreement_is_explained(verdict: Verdict, low: float, p: float, direction: str, words: str) -> None:
    assert words in said(verdict, low, p=p, direction=direction)


@pytest.mark.parametrize(("verdict", "low"), [("supported", 0.1), ("not_supported", -0.1), ("not_tested", 0.1)])
def test_agreement_needs_no_words(verdict: Verdict, low: float) -> None:
    assert said(verdict, low, p=0.03) == ""


def test_an_interval_of_two_sides_and_an_f_test_of_one_may_disagree() -> None:
    estimate = Estimate(
        effect=0.2, effect_name="eta squared", null_value=0.0, interval=Interval(low=0.0, high=0.5, level=0.95),
        statistic=3.9, statistic_name="F", df=(2.0, 30.0), p_value=0.03, n_sessions=33, n_rows=33,
    )  # fmt: skip
    claim = Hypothesis(hypothesis_id="h", claim="c", outcome="o", factor="f", analysis=Ref(name="oneway_anova"))
    (said,) = interval_words(claim, estimate, "supported")
    assert (
        said == "The interval includes 0, which the test rejects: its 0.05 is for both sides, an F test has one side."
    )
