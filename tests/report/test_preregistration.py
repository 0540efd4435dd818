import pytest

from tests.report import report_samples as samples
from understudy.report import Statements, preregistration_markdown
from understudy.report.study_sentences import (
    analysis_sentences,
    hypothesis_sentences,
    measure_sentence,
    outcome_sentence,
)
from understudy.schema import AnalysisPlan, Check, MeasureUse, Outcome, Ref


def answer(form: str, heading: str) -> list[str]:
    after = form.split(f"# {heading}\n", 1)[1]
    return [line for line in after.split("\n#", 1)[0].splitlines() if line]


@pytest.fixture(scope="module")
def form() -> str:
    return preregistration_markdown(samples.study())


def test_the_form_has_the_sections_of_both_registries(form: str) -> None:
    assert [line.lstrip("# ") for line in form.splitlines() if line.startswith(("## ", "### "))] == [
        "Form A: AsPredicted",
        "1. Data collection: do any data exist already?",
        "2. Hypothesis: what is asked and expected?",
        "3. Dependent variable: what is measured?",
        "4. Conditions: how many, and which?",
        "5. Analyses: which tests decide?",
        "6. Outliers and exclusions",
        "7. Sample size: how many, and what decides it?",
        "8. Other",
        "9. Type of study",
        "Form B: OSF preregistration",
        "Study information",
        "Design plan",
        "Sampling plan",
        "Variables",
        "Analysis plan",
        "Other",
    ]


def test_the_form_carries_the_digest(form: str) -> None:
    assert samples.study().digest in form


def test_exclusions_come_in_order_with_their_pay(form: str) -> None:
    assert answer(form, "6. Outliers and exclusions") == [
        "Applied in this order:",
        "1. `too_fast`: Answered in less than two minutes. Applied when the session is complete if `minutes < 2`. "
        "They receive 100% of the base pay and keep their bonus.",
        "2. `nonsense`: Wrote text unrelated to the question. Applied by researchers who judge the answers. "
        "They receive 50% of the base pay and lose their bonus.",
        "- Participants who leave before the end are not analysed.",
    ]


def test_people_who_leave_are_spoken_of_where_their_answers_count() -> None:
    plan = samples.study().plan.model_copy(update={"partial_sessions": "kept"})
    form = preregistration_markdown(samples.study(plan=plan))
    told = answer(form, "Missing data")
    assert "or who leave without a word, are analysed with the answers they gave" in told[0]
    assert told[-1] == "- Missing answers are reported for each condition and stage."
    assert told == answer(form, "6. Outliers and exclusions")[-len(told) :]


def test_an_outcome_says_over_what_items_are_complete() -> None:
    told = outcome_sentence(Outcome(name="answers", measure="correct", summary=None, complete_over="phase"))
    assert told == "`answers` is single trials of `correct`, of items answered at every level of `phase`."


def test_the_number_of_people_and_the_end_are_said(form: str) -> None:
    assert answer(form, "7. Sample size: how many, and what decides it?") == [
        "- 55 completed and not excluded participants: 30 in `saliency` and 25 in `none`.",
        "- Each condition closes when it has its number of completed and not excluded participants; excluded "
        "participants are replaced. Only counts close a condition, never results.",
        "- An unfinished session without any activity for 90 minutes counts as abandoned, and its place is given to "
        "somebody else.",
        "Rationale: *Not declared.*",
    ]


def test_a_hypothesis_says_side_level_and_correction(form: str) -> None:
    lines = answer(form, "5. Analyses: which tests decide?")
    assert "- The test is one-sided: greater is expected, at alpha = 0.05." in lines
    assert "- Its p-value is corrected by Holm over 2 tests of family `main`." in lines
    assert "- It is tested only if H1 is supported." in lines


def test_a_decision_tree_has_a_sentence_for_each_branch() -> None:
    inner = Check(check=Ref(name="second"), if_holds=Ref(name="a"), if_fails=Ref(name="b"))
    tree = Check(check=Ref(name="first"), alpha=0.1, if_holds=inner, if_fails=Ref(name="c"))
    assert analysis_sentences(tree) == [
        "If the check `first` does not reject its assumption at alpha = 0.1 and the check `second` does not reject its "
        "assumption at alpha = 0.05, the analysis is `a`.",
        "If the check `first` does not reject its assumption at alpha = 0.1 and the check `second` rejects it, the "
        "analysis is `b`.",
        "If the check `first` rejects it, the analysis is `c`.",
    ]


@pytest.mark.parametrize("name", ["linear_mixed", "logistic_mixed", "ordinal_mixed"])
def test_the_rule_that_chooses_a_simpler_model_is_fixed_before_the_data(name: str) -> None:
    plan = samples.study().plan
    mixed = plan.hypotheses[0].model_copy(update={"analysis": Ref(name=name, params={"random": "maximal"})})
    told = " ".join(hypothesis_sentences(mixed, plan))
    assert f"The model of `{name}` is chosen by a rule that is fixed here." in told
    assert "If none holds, there is no verdict." in told
    assert ("fewer than 6 answers on average for each of their effects" in told) == (name != "linear_mixed")


def test_what_nobody_said_is_not_invented(form: str) -> None:
    for heading in ("Blinding", "Authors", "Missing data", "Existing data", "Sample size rationale"):
        assert answer(form, heading) == ["*Not declared.*"]


def test_statements_fill_what_a_study_cannot_know() -> None:
    said = Statements(data_collected="No data exist.", power="Power is .90 for d = 0.6.")
    form = preregistration_markdown(samples.study(), statements=said)
    assert answer(form, "1. Data collection: do any data exist already?") == ["No data exist."]
    assert answer(form, "Sample size rationale") == ["Power is .90 for d = 0.6."]


def test_randomisation_says_who_deals_what(form: str) -> None:
    told = "\n".join(answer(form, "Randomisation"))
    assert "Arrivals are assigned to conditions by `balanced`" in told
    assert "The order of the levels of `model` is chosen by `latin_square`" in told
    assert "In stage `predict` items are shown in a random order, drawn for each person." in told


def test_a_session_is_told_page_by_page(form: str) -> None:
    assert answer(form, "Course of a session") == [
        "1. `consent` (consent): `consent`.",
        "2. `quiz` (comprehension): `questionnaire`. People continue with a share of right answers of at least 0.8, "
        "with 2 tries. People who do not reach it are screened out and paid 25% of the base pay.",
        "3. `predict` (main, once for each level of `model`): `predict`.",
    ]


def test_a_study_without_hypotheses_declares_none() -> None:
    plan = AnalysisPlan(outcomes=samples.study().plan.outcomes)
    form = preregistration_markdown(samples.study(plan=plan, exclusions=()))
    assert answer(form, "5. Analyses: which tests decide?") == ["*Not declared.*"]
    assert answer(form, "6. Outliers and exclusions") == [
        "The study declares no exclusions.", "- Participants who leave before the end are not analysed.",
    ]  # fmt: skip


def test_hostile_text_is_no_markup() -> None:
    assert samples.HOSTILE not in preregistration_markdown(samples.study(title=samples.HOSTILE))


def test_a_measure_of_sessions_says_how_it_is_made_and_where() -> None:
    use = MeasureUse(name="pace", measure=Ref(name="response_time"), summary="median", blocks=("learn", "predict"))
    sentence = measure_sentence(use)
    assert sentence.startswith("`pace`: the median for each participant of `response_time`")
    assert sentence.endswith("taken in `learn` and `predict`.")
