"""From results to verdicts: statistics beside SciPy, corrections, flips, and the cases without spread."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from tests.probe.result_samples import ROTATION, Frames, frames
from understudy.errors import ResultsError
from understudy.models import LinearClassifier
from understudy.probe import (
    ANALYSES,
    SETS,
    LabelledInputs,
    linear,
    nearest_flips,
    objects_needed,
    probe,
    probe_models,
    results_from_frames,
)
from understudy.roles import Floats
from understudy.schema import RuleOptions, Verdicts


def verdicts(**options: object) -> Verdicts:
    return probe(results_from_frames(frames()), **options)  # type: ignore[arg-type]


def confirmed(found: Verdicts) -> list[str]:
    return [hypothesis.id for hypothesis in found.hypotheses if hypothesis.state == "confirmed"]


def scored(rows: dict[str, list[float]]) -> Frames:
    n = len(rows["PP"])
    return {
        one: pd.DataFrame({"id": range(n), "truth": ["a", "b"] * (n // 2), "correctness": rows[one]}) for one in SETS
    }


def test_the_six_tests_are_those_of_scipy() -> None:
    results = results_from_frames(frames())
    scores = dict(zip(SETS, results.scores().astype(float), strict=True))
    for analysis in probe(results).analyses:
        left, right = ANALYSES[analysis.id]
        theirs = stats.ttest_rel(scores[left], scores[right])
        limits = theirs.confidence_interval()
        assert (analysis.t, analysis.p) == pytest.approx((float(theirs.statistic), float(theirs.pvalue)), rel=1e-10)
        assert (analysis.low, analysis.high) == pytest.approx((float(limits.low), float(limits.high)), rel=1e-10)
        assert analysis.effect == pytest.approx(float(theirs.statistic) / 20, rel=1e-10)


def test_results_have_the_interval_of_their_mean() -> None:
    results = results_from_frames(frames())
    [first, *_] = probe(results).results
    scores = results.scores()[0].astype(float)
    low, high = stats.t.interval(0.95, 399, scores.mean(), stats.sem(scores))
    assert (first.mean, first.low, first.high) == pytest.approx((scores.mean(), low, high), rel=1e-10)
    assert (first.id, first.model, first.data) == ("PP", "M+", "D+")


def test_a_rotation_like_concept_gives_the_reported_set() -> None:
    assert confirmed(verdicts()) == ["H1", "H4", "H6", "H7", "H9", "H12"]


def test_the_sentences_name_the_concept_and_the_grounds() -> None:
    found = verdicts(concept="rotation").hypotheses[0]
    assert found.sentence == "Information about rotation is useful to the model. Shown by A1."
    assert found.claims["unproven"] == "It is open whether information about rotation is useful to the model."


def test_a_muted_test_is_said_in_the_trace() -> None:
    found = verdicts().hypotheses[0]
    assert [one.analysis for one in found.muted] == ["A2"]
    assert [caution.analysis for caution in found.cautions] == ["A2"]


def test_the_document_survives_json() -> None:
    found = verdicts(groups="size", difference=0.05)
    assert Verdicts.model_validate_json(found.model_dump_json()) == found


# Corrections and thresholds


def test_holm_is_over_the_six_tests() -> None:
    plain, adjusted = verdicts(), verdicts(correction="holm")
    smallest = min(plain.analyses, key=lambda one: one.p)
    assert next(analysis for analysis in adjusted.analyses if analysis.id == smallest.id).p_adjusted == pytest.approx(
        6 * smallest.p
    )
    assert all(analysis.p_adjusted == analysis.p for analysis in plain.analyses)


def test_a_p_value_at_the_threshold_does_not_count() -> None:
    a6 = verdicts().analyses[5]
    assert verdicts(alpha=a6.p).analyses[5].outcome == "~"
    assert verdicts(alpha=float(np.nextafter(a6.p, 1))).analyses[5].outcome == "<"


@pytest.mark.parametrize("alpha", [0.0, 1.0, -0.1, float("nan")])
def test_a_threshold_outside_0_and_1_is_refused(alpha: float) -> None:
    with pytest.raises(ResultsError, match="it lies between 0 and 1"):
        verdicts(alpha=alpha)


@pytest.mark.parametrize("correction", ["none", "holm"])
def test_flips_tell_the_verdicts_at_any_threshold(correction: str) -> None:
    results = results_from_frames(frames({"PP": 0.78, "PD": 0.7, "MP": 0.72, "MD": 0.75}, n=300))
    whole = probe(results, correction=correction)  # type: ignore[arg-type]
    assert whole.flips
    for alpha in (1e-12, 1e-4, 0.003, 0.01, 0.05, 0.2, 0.5, 0.999):
        at = probe(results, alpha=alpha, correction=correction)  # type: ignore[arg-type]
        told = {hypothesis.id: "unproven" for hypothesis in at.hypotheses} | {
            flip.hypothesis: flip.to for flip in whole.flips if flip.alpha < alpha
        }
        assert {hypothesis.id: hypothesis.state for hypothesis in at.hypotheses} == told


def test_a_verdict_flips_exactly_above_its_flip() -> None:
    results = results_from_frames(frames())
    [flip] = [one for one in probe(results).flips if one.hypothesis == "H6"]
    states = [
        probe(results, alpha=alpha).hypotheses[5].state for alpha in (flip.alpha, float(np.nextafter(flip.alpha, 1)))
    ]
    assert (states, flip.to) == (["unproven", "confirmed"], "confirmed")


def test_the_nearest_flips_say_what_would_change_a_verdict() -> None:
    found = verdicts()
    undone, coming = nearest_flips(found, "H6")
    assert undone is not None
    assert (undone.alpha, coming) == (found.analyses[5].p, None)


# The sign-flip test


def test_the_sign_flip_test_of_labels_is_the_exact_test_of_mcnemar() -> None:
    results = results_from_frames(frames())
    scores = dict(zip(SETS, results.scores().astype(int), strict=True))
    for analysis in probe(results, test="sign_flip").analyses:
        left, right = ANALYSES[analysis.id]
        up, down = int((scores[left] > scores[right]).sum()), int((scores[left] < scores[right]).sum())
        assert analysis.method == "exact"
        assert analysis.p == pytest.approx(float(stats.binomtest(up, up + down).pvalue), rel=1e-9)


def test_drawn_sign_patterns_follow_their_seed_and_are_noted() -> None:
    rng = np.random.default_rng(0)
    results = results_from_frames(scored({one: rng.random(60).tolist() for one in SETS}))
    first, again = (probe(results, test="sign_flip", seed=3) for _ in range(2))
    assert first == again
    assert first.analyses[0].note == "p is from 9,999 drawn sign patterns."


# Without spread


def test_sets_that_score_the_same_everywhere_show_nothing() -> None:
    row = [0.0, 1.0, 0.5, 0.25]
    found = probe(results_from_frames(scored(dict.fromkeys(SETS, row))))
    assert {(analysis.outcome, analysis.t, analysis.p) for analysis in found.analyses} == {("~", None, 1.0)}
    assert found.notes[0] == "A1: PP and MD score the same on all 4 objects, so there is no difference to test."


def test_constant_differences_are_judged_by_the_exact_test_and_said() -> None:
    row = {"PP": [0.9] * 10, "PD": [0.5] * 10, "MP": [0.5] * 10, "MD": [0.4] * 10}
    first = probe(results_from_frames(scored(row))).analyses[0]
    assert (first.outcome, first.t, first.p, first.effect) == (">", None, 2.0**-9, None)
    assert first.note.startswith("All 10 differences of PP and MD are 0.5, so t is not defined")


def test_labels_that_are_written_otherwise_than_truths_are_remarked_on() -> None:
    made = frames()
    made["MD"]["label"] = made["MD"]["label"].str.upper()
    [note] = probe(results_from_frames(made)).notes
    assert note.startswith("MD is never right. See that labels are written as truths are")


def test_one_class_is_said() -> None:
    made = frames()
    one_class = {one: frame[frame["truth"] == "boot"] for one, frame in made.items()}
    found = probe(results_from_frames(one_class))
    assert found.notes == (
        "All objects are of one class (boot), so nothing is said about telling classes apart.",
    )  # fmt: skip


def test_the_printed_score_without_uncertainties_leaves_everything_open() -> None:
    found = verdicts(options=RuleOptions(score="as_printed"))
    assert {hypothesis.state for hypothesis in found.hypotheses} == {"unproven"}


# Power


@pytest.mark.parametrize(("difference", "sd"), [(0.1, 0.4), (0.02, 0.3), (0.5, 0.4)])
def test_the_objects_needed_are_just_enough(difference: float, sd: float) -> None:
    n = objects_needed(difference, sd)
    assert n is not None
    exact = [1 - stats.nct.cdf(stats.t.ppf(0.975, k - 1), k - 1, difference / sd * k**0.5) for k in (n - 1, n)]
    assert exact[0] < 0.8 <= exact[1] + 1e-6


def test_the_objects_needed_reach_their_power_in_simulated_tests() -> None:
    n, rng = objects_needed(0.05, 0.4), np.random.default_rng(0)
    assert n is not None
    p = stats.ttest_1samp(rng.normal(0.05, 0.4, (4000, n)), 0, axis=1).pvalue
    assert np.mean(p < 0.05) == pytest.approx(0.8, abs=0.025)


def test_sizing_speaks_of_the_observed_spread() -> None:
    found = verdicts(difference=0.05)
    assert found.sizing is not None
    first = found.sizing.needed[0]
    assert first.n_needed == objects_needed(0.05, found.analyses[0].sd)
    assert first.power_now is not None
    assert first.smallest_now is not None
    assert objects_needed(first.smallest_now * 1.0001, first.sd) == 400


def test_with_holm_the_size_is_planned_at_its_strictest_step() -> None:
    found = verdicts(difference=0.05, correction="holm").sizing
    assert found is not None
    assert found.alpha == pytest.approx(0.05 / 6)


def test_a_difference_that_cannot_be_planned_for_is_refused() -> None:
    with pytest.raises(ResultsError, match="it must be more than 0"):
        verdicts(difference=0.0)


def test_a_hopeless_difference_has_no_size() -> None:
    assert objects_needed(1e-7, 0.4) is None


# Models


def inputs(seed: int, *, helped: bool) -> LabelledInputs:
    rng = np.random.default_rng(seed)
    first = rng.normal(size=300)
    extra = np.sign(first) if helped else rng.normal(size=300)
    return LabelledInputs(np.column_stack([first, extra]), ["yes" if one > 0 else "no" for one in first])


def test_models_are_asked_and_judged() -> None:
    without = LinearClassifier(weights=(1.0, 1.5))
    with_help = LinearClassifier(weights=(1.0, 9.0))
    found = probe_models(without, with_help, inputs(0, helped=False), inputs(0, helped=True), concept="the sign")
    assert found.n_objects == 300
    assert {result.id: result.mean for result in found.results}["PP"] == 1.0
    assert "H12" in confirmed(found)


def test_confidence_counts_when_asked() -> None:
    model, data = LinearClassifier(weights=(1.0, 1.0)), inputs(0, helped=True)
    certain = probe_models(model, model, data, data, with_confidence=True)
    assert certain.results[0].mean < probe_models(model, model, data, data).results[0].mean


class Scale:
    """A model of values: twice the first input."""

    labels: tuple[str, ...] = ()

    def predict(self, inputs: Floats) -> Floats:
        return 2 * inputs[:, :1]


def test_a_model_of_values_needs_a_function_of_its_error() -> None:
    data = LabelledInputs(np.array([[1.0], [2.0], [4.0]]), [2.0, 4.5, 6.0])
    with pytest.raises(ResultsError, match="say how correct a value is"):
        probe_models(Scale(), Scale(), data, data)
    assert probe_models(Scale(), Scale(), data, data, correctness=linear(2.0)).results[0].mean == pytest.approx(
        0.5833, abs=1e-4
    )


def test_inputs_and_truths_of_other_lengths_are_refused() -> None:
    data = LabelledInputs(np.ones((3, 2)), ["yes", "no"])
    model = LinearClassifier(weights=(1.0, 1.0))
    with pytest.raises(ResultsError, match="There are 3 inputs but 2 truths"):
        probe_models(model, model, data, data)


def test_the_reported_shares_are_what_the_factory_drew() -> None:
    found = {result.id: result.mean for result in verdicts().results}
    assert found == pytest.approx(ROTATION, abs=0.06)
