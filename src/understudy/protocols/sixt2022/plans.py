"""The two preregistrations of the paper as plans, with their measures and pay.

Both need the question-factor `attribute` and the measures of `study.py`; the second also the between-factor
`explanation`.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from understudy.protocols.pages import with_plain_words
from understudy.schema import (
    AnalysisPlan,
    Check,
    Description,
    Exclusion,
    Family,
    Hypothesis,
    Json,
    MeasureUse,
    Outcome,
    Ref,
    Sensitivity,
    Summary,
)
from understudy.schema.annotation import Code, CodingScheme

# What people are paid who do not finish, in pounds: both tables that were registered.


class PayTable(NamedTuple):
    """Base pay, bonus, and what is paid at each of the three tutorials to people who are turned away there."""

    base: float
    per_answer: float
    test_failed: tuple[float, float, float]
    """After the second failed try of the first, second and third test."""
    film_left: tuple[float, float, float]
    """For a first, second and third film that was not watched to its end."""


REGISTERED_1 = PayTable(6.00, 0.40, (0.00, 0.50, 1.75), (0.00, 1.00, 2.00))
"""As registered for the first study."""
REGISTERED_2 = PayTable(4.50, 0.40, (0.50, 1.75, 3.50), (0.00, 1.00, 2.00))
"""As registered for the second study."""
PAID_1 = REGISTERED_1._replace(test_failed=REGISTERED_2.test_failed)
"""What the first study in fact paid: its base pay, and the more generous amounts of the second."""
PAID_2 = REGISTERED_2


BASELINE, COUNTERFACTUALS, CONCEPTS = "baseline", "counterfactuals", "concepts"
EIGHT = "all_eight"
"""The family of the tests that were not registered: one of all conditions, two contrasts and five attributes."""
_PLAIN_WORDS = {
    "conditions_differ": "How well people find out what a system relies on depends on what they are shown.",
    f"{COUNTERFACTUALS}_against_baseline": "To find out what a system relies on, pictures that were changed step by step "
    "help people more than sorted pictures.",
    f"{CONCEPTS}_against_baseline": "To find out what a system relies on, patterns that it has learned help people less than "
    "sorted pictures.",
}
_BY_ATTRIBUTE = ("attribute",)
EVERYBODY = Sensitivity(name="everybody", keeps=("misunderstood",))
"""Unequal numbers were taken out of the conditions after their texts were read, so tests are repeated with them."""


def validation_plan(attributes: Sequence[str]) -> AnalysisPlan:
    """Return the first registration: legs are found more often than colour, and more often than shape.

    Two exact one-sided McNemar tests at .025 each, which is Bonferroni for two. Attributes that are not asked are left
    out.
    """
    compared = [name for name in ("colour", "shape") if name in attributes and "legs" in attributes]
    return AnalysisPlan(
        outcomes=(*_outcomes(), Outcome(name="found", measure="says_relevant", summary="max", by=_BY_ATTRIBUTE)),
        hypotheses=(
            *(
                Hypothesis(
                    hypothesis_id=f"legs_over_{name}",
                    claim=f"More people call the legs relevant than call the {name} relevant.",
                    outcome="found",
                    factor="attribute",
                    contrast=("legs", name),
                    direction="greater",
                    analysis=Ref(name="mcnemar"),
                    alpha=0.025,
                )
                for name in compared
            ),
        ),
        descriptions=_descriptions(()),
        sensitivity=(EVERYBODY,),
    )


def comparison_plan(conditions: Sequence[str], attributes: Sequence[str]) -> AnalysisPlan:
    """Return the second registration: the decision tree, two contrasts with the baseline, and further tests.

    Contrasts follow the branch that the test of all conditions takes, and are made only if that test is significant.
    """
    compared = [name for name in (COUNTERFACTUALS, CONCEPTS) if name in conditions and BASELINE in conditions]
    family = "contrasts" if len(compared) > 1 else None
    contrasts = [_contrast(name, family=family) for name in compared]
    return AnalysisPlan(
        outcomes=_outcomes(),
        hypotheses=(
            *with_plain_words((_all_conditions("conditions_differ"), *contrasts), _PLAIN_WORDS),
            *_further_tests(compared, attributes),
        ),
        descriptions=_descriptions(("explanation",)),
        sensitivity=(EVERYBODY,),
        families=(
            *([Family(name=family, correction="bonferroni")] if family else []),
            Family(name=EIGHT, correction="holm"),
        ),
    )


def _outcomes() -> tuple[Outcome, ...]:
    return (
        Outcome(name="accuracy", measure="accuracy"),
        Outcome(name="attribute_accuracy", measure="right", by=_BY_ATTRIBUTE),
        Outcome(name="attribute_right", measure="right", summary="max", by=_BY_ATTRIBUTE),
        Outcome(name="n_right", measure="n_right"),
        Outcome(name="seconds", measure="answer_seconds"),
        Outcome(name="minutes", measure="minutes_taken"),
        Outcome(name="copied_texts", measure="n_repeated"),
        Outcome(name="pasted_texts", measure="n_pasted"),
        Outcome(name="shortest_text", measure="shortest_text"),
    )


def _tree(all_levels: Ref, *, pair: tuple[Ref, Ref] | None = None) -> Check:
    """Return the registered tree; with `pair`, its two parametric ends are those of a contrast."""
    homogeneous, heterogeneous = pair or (Ref(name="oneway_anova"), Ref(name="welch_anova"))
    levels: Literal["contrasted", "all"] = "all" if pair else "contrasted"
    return Check(
        check=Ref(name="shapiro_wilk"),
        levels=levels,
        if_holds=Check(check=Ref(name="levene"), levels=levels, if_holds=homogeneous, if_fails=heterogeneous),
        if_fails=all_levels,
    )


def _all_conditions(hypothesis_id: str, *, family: str | None = None) -> Hypothesis:
    return Hypothesis(
        hypothesis_id=hypothesis_id,
        claim=f"People's accuracy differs between the conditions{_together(family)}.",
        outcome="accuracy",
        factor="explanation",
        analysis=_tree(Ref(name="kruskal_wallis")),
        family=family,
        is_confirmatory=family is None,
    )


def _together(family: str | None) -> str:
    """Return what tells a further test from the registered one of the same claim."""
    return " (all eight tests corrected together)" if family == EIGHT else ""


def _contrast(condition: str, *, family: str | None) -> Hypothesis:
    is_more = condition == COUNTERFACTUALS
    is_registered = family != EIGHT
    return Hypothesis(
        hypothesis_id=f"{condition}_against_baseline" if is_registered else f"further_{condition}",
        claim=f"People are {'more' if is_more else 'less'} accurate with {condition} than with the baseline{_together(family)}.",
        outcome="accuracy",
        factor="explanation",
        contrast=(condition, BASELINE),
        expects="greater" if is_more else "less",
        analysis=_tree(Ref(name="rank_sum"), pair=(Ref(name="planned_contrast"), Ref(name="welch_t"))),
        family=family,
        requires="conditions_differ" if is_registered else None,
        is_confirmatory=is_registered,
    )


def _further_tests(compared: Sequence[str], attributes: Sequence[str]) -> tuple[Hypothesis, ...]:
    """Return the tests that were not registered, corrected together with the registered ones by Holm."""
    of_attributes = tuple(
        Hypothesis(
            hypothesis_id=f"{COUNTERFACTUALS}_{name}",
            claim=f"Accuracy about the {name} differs between {COUNTERFACTUALS} and the baseline.",
            outcome="attribute_accuracy",
            factor="explanation",
            contrast=(COUNTERFACTUALS, BASELINE),
            where=f"attribute == '{name}'",
            analysis=Ref(name="rank_sum"),
            family=EIGHT,
            is_confirmatory=False,
        )
        for name in attributes
        if COUNTERFACTUALS in compared
    )
    return (
        _all_conditions("further_conditions", family=EIGHT),
        *(_contrast(name, family=EIGHT) for name in compared),
        *of_attributes,
    )


def _descriptions(by: tuple[str, ...]) -> tuple[Description, ...]:
    return (
        Description(description_id="overall", outcome="accuracy", by=by),
        Description(description_id="by_attribute", outcome="attribute_right", by=(*by, "attribute"), interval="wilson"),
        *([Description(description_id="pooled_by_attribute", outcome="attribute_right", by=_BY_ATTRIBUTE, interval="wilson")] if by else []),
        *([Description(description_id="pooled_overall", outcome="accuracy")] if by else []),
        Description(description_id="seconds_on_the_page", outcome="seconds", by=by),
        Description(description_id="minutes_in_all", outcome="minutes", by=by),
        Description(description_id="texts_repeated", outcome="copied_texts", by=by),
        Description(description_id="texts_pasted", outcome="pasted_texts", by=by),
        Description(description_id="text_length", outcome="shortest_text", by=by),
    )  # fmt: skip


# What the studies measure, and which sessions the analysis leaves out.

MAIN = "judge_attributes"
"""The block with the explanation and the questions."""
MAX_MINUTES = 77
MIN_SECONDS = 30
OVER = "attribute"
JUDGEMENT = "judgement"
"""The coding scheme by which annotators judge each person's justifications."""
LEFT_OUT = ("unsure", "exclude")
"""Codes of people who are left out; agreement is about these against include, as in the paper."""


def measures(conditions: Sequence[str]) -> tuple[MeasureUse, ...]:
    """Return the measures; `conditions` are those that have a third test of their own."""
    tests = ("test_1", "test_2", *([f"test_3_{name}" for name in conditions] or ["test_3"]))
    return (
        _of_questions("right", "correct"),
        _of_questions("accuracy", "correct", summary="mean"),
        _of_questions("n_right", "correct", summary="sum"),
        _of_questions("says_relevant", "chosen", {"option": "Relevant"}),
        _of_questions("why_length", "text_length", {"question": "{level}_why"}),
        _of_questions("why_pasted", "pasted_text", {"question": "{level}_why"}),
        _of_questions("why_repeated", "repeated_text", {"question": "{level}_why"}),
        _of_questions("shortest_text", "text_length", {"question": "{level}_why"}, summary="min"),
        _of_questions("n_pasted", "pasted_text", {"question": "{level}_why"}, summary="sum"),
        _of_questions("n_repeated", "repeated_text", {"question": "{level}_why"}, summary="sum"),
        MeasureUse(name="answer_seconds", measure=Ref(name="response_time"), summary="sum"),
        MeasureUse(name="minutes_taken", measure=Ref(name="session_minutes")),
        *(MeasureUse(name=f"tries_{test}", measure=Ref(name="tries", params={"block": test})) for test in tests),
        MeasureUse(
            name="expertise", measure=Ref(name="worded", params={"question": "expertise"}), blocks=("expertise",)
        ),
        MeasureUse(name="first_label", measure=Ref(name="annotator_label", params={"annotator": 1})),
        MeasureUse(name="second_label", measure=Ref(name="annotator_label", params={"annotator": 2})),
        MeasureUse(name="first_annotator", measure=Ref(name="annotated", params={"annotator": 1})),
        MeasureUse(name="second_annotator", measure=Ref(name="annotated", params={"annotator": 2})),
        MeasureUse(
            name="misunderstanding",
            measure=Ref(name="coded", params={"scheme": JUDGEMENT, "codes": [*LEFT_OUT]}),
        ),
    )


def annotation(attributes: Sequence[str]) -> tuple[CodingScheme, ...]:
    """Return how two annotators judge each person by all justifications together, as in the paper."""
    return (
        CodingScheme(
            scheme_id=JUDGEMENT,
            title="Did the person understand the task?",
            instruction="Read what one person wrote about all attributes, then decide whether the person understood what the "
            "system and the pictures show. A wrong answer is not a misunderstanding.",
            questions=tuple(f"{name}_why" for name in attributes),
            blocks=(MAIN,),
            unit="person",
            codes=(
                Code(
                    code_id="include",
                    definition="The reasons are about what the pictures show of the system, right or wrong.",
                    examples=("The legs change from left to right, so I think the system uses them.",),
                ),
                Code(
                    code_id="unsure",
                    definition="You cannot tell whether the person understood.",
                    examples=("It looks like that to me.",),
                ),
                Code(
                    code_id="exclude",
                    definition="The reasoning is far from the tutorial, or one short text is pasted for all attributes.",
                    examples=("Stretchy animals need long legs to run.",),
                ),
            ),
            groups={"include": ("include",), "leave_out": LEFT_OUT},
        ),
    )


def exclusions() -> tuple[Exclusion, ...]:
    """Return the registered rules. Tests, films and consent end a session already; pay stays the same."""
    return (
        Exclusion(
            exclusion_id="too_slow",
            rule=f"minutes_taken > {MAX_MINUTES}",
            reason=f"Took more than {MAX_MINUTES} minutes.",
        ),
        Exclusion(
            exclusion_id="too_fast",
            rule=f"answer_seconds < {MIN_SECONDS}",
            reason=f"Answered all relevance questions in less than {MIN_SECONDS} seconds.",
        ),
        Exclusion(
            exclusion_id="misunderstood",
            applies="annotators",
            rule="misunderstanding == 1",
            reason="Two annotators, who knew neither condition nor answers, found a serious misunderstanding in the texts.",
        ),
    )


def _of_questions(name: str, measure: str, params: Json | None = None, *, summary: Summary | None = None) -> MeasureUse:
    return MeasureUse(name=name, measure=Ref(name=measure, params=params or {}), over=OVER, summary=summary)
