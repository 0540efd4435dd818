"""The two preregistrations of the paper as analysis plans.

Both need the question-factor `attribute` and the measures of `study.py`; the second also the between-factor
`explanation`.
"""

from collections.abc import Sequence
from typing import Literal

from understudy.protocols.plain_words import with_plain_words
from understudy.schema import AnalysisPlan, Check, Description, Family, Hypothesis, Outcome, Ref, Sensitivity

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
