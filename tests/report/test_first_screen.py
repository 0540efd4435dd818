"""The first screen of a report: what to be careful about, and the strips that draw intervals."""

import re

import pytest

from tests.report import report_samples as samples
from understudy.report.cards import card_of
from understudy.report.cautions import cautions_of
from understudy.report.diagrams import WIDTH, interval_strip
from understudy.schema import (
    AnalysisPlan,
    Direction,
    Finding,
    Findings,
    Hypothesis,
    MissingAnswers,
    Outcome,
    SensitivityResults,
)


def texts(findings: Findings) -> list[str]:
    return [caution.text for caution in cautions_of(findings)]


def quiet() -> Findings:
    """Findings with nothing to be careful about: one corrected test, everybody analysed, no deviations."""
    found = samples.findings()
    provenance = found.provenance.model_copy(update={"deviations": ()})
    flow = found.flow.model_copy(update={"n_analysed": found.flow.n_recruited})
    return found.model_copy(update={"findings": (samples.between(),), "flow": flow, "provenance": provenance})


def test_findings_without_weak_points_have_no_cautions() -> None:
    assert texts(quiet()) == []


def test_simulated_people_come_first() -> None:
    assert texts(samples.findings(is_synthetic=True))[0] == (
        "The participants are simulated. Nothing here is evidence about people."
    )


def test_a_verdict_that_depends_on_exclusions_is_named() -> None:
    again: Finding = samples.between().model_copy(update={"verdict": "not_supported"})
    results = SensitivityResults(name="everybody", keeps=("too_fast",), n_analysed=60, findings=(again,))
    changed = quiet().model_copy(update={"sensitivity": (results,)})
    assert texts(changed) == ["The verdict on H1 changes if excluded people are included."]


def test_conditions_that_lose_answers_unevenly_are_named() -> None:
    def line(condition: str, n_given: int) -> MissingAnswers:
        return MissingAnswers(
            condition=condition, block_id="predict", n_people=10, n_left=0, n_reached=10, n_expected=100, n_given=n_given
        )  # fmt: skip

    uneven = quiet().model_copy(update={"missing": (line("shown", 80), line("hidden", 99))})
    even = quiet().model_copy(update={"missing": (line("shown", 98), line("hidden", 99))})
    assert texts(uneven) == ["Some conditions have more missing answers than others."]
    assert texts(even) == []


def test_every_caution_leads_to_a_part_of_the_page() -> None:
    assert {caution.anchor for caution in cautions_of(samples.findings(is_synthetic=True))} <= {
        "provenance", "deviations", "sensitivity", "flow", "missing", "hypotheses"
    }  # fmt: skip


@pytest.mark.parametrize(
    ("direction", "p_adjusted", "words"),
    [
        ("greater", None, "p = .003, one-sided"),
        ("different", None, "p = .003"),
        ("less", 0.04, "p = .040 after correction, one-sided"),
    ],
)
def test_the_main_findings_say_that_one_side_was_tested(
    direction: Direction, p_adjusted: float | None, words: str
) -> None:
    found = samples.between()
    assert found.estimate is not None
    estimate = found.estimate.model_copy(update={"p_value": 0.003})
    finding = found.model_copy(update={"estimate": estimate, "p_adjusted": p_adjusted})
    claim = Hypothesis(
        hypothesis_id=finding.hypothesis_id, claim=finding.claim, outcome="accuracy", direction=direction, analysis="welch_t"
    )  # fmt: skip
    assert (
        card_of(
            finding, 1, AnalysisPlan(outcomes=(Outcome(name="accuracy", measure="accuracy"),), hypotheses=(claim,))
        ).test
        == words
    )


def test_an_open_side_of_an_interval_runs_to_the_edge() -> None:
    svg = interval_strip(samples.between().estimate, "0.0853, 95% CI [0.0312, ∞)")
    assert f'x2="{WIDTH}"' in svg
    assert 'role="img" aria-label="0.0853, 95% CI [0.0312, ∞)"' in svg


def test_the_dot_of_a_strip_is_within_its_interval() -> None:
    svg = interval_strip(samples.paired().estimate, "mean difference")
    low, high = (float(value) for value in re.findall(r'strip-interval" x1="([\d.]+)" x2="([\d.]+)"', svg)[0])
    dot = float(re.findall(r'cx="([\d.]+)"', svg)[0])
    assert low < dot < high


def test_an_estimate_without_an_interval_has_no_strip() -> None:
    assert interval_strip(samples.anova().estimate, "partial eta squared") == ""
    assert interval_strip(None, "") == ""


def test_words_of_a_strip_are_escaped() -> None:
    assert "<script>" not in interval_strip(samples.between().estimate, samples.HOSTILE)
