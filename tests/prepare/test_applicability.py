"""Flags say whether an explanation of a case has anything to do with its edited version."""

from collections.abc import Sequence

import pytest

from understudy.prepare.applicability import applicability
from understudy.schema import Explanation, Json
from understudy.schema.explanations.explanation import Several
from understudy.schema.explanations.features import (
    Attribution,
    Edit,
    EditPath,
    Importance,
    PathStep,
    RuleCondition,
    RuleExplanation,
    SimilarCase,
    TokenAttribution,
)

PERSON: Json = {"age": "old", "job": "clerk", "hours": "40"}
EDITED: Json = {"original": PERSON, "edited": {**PERSON, "job": "sailor"}}
WORDS = ("a", "dull", "dull", "play")
TEXT: Json = {"original": {"tokens": [*WORDS]}, "edited": {"tokens": ["a", "dull", "fine", "play"]}}


def weights_of(*features: str) -> Attribution:
    return Attribution(features=features, weights=(1.0,) * len(features))


def rule_of(*features: str) -> RuleExplanation:
    conditions = tuple(RuleCondition(feature=name, value=str(PERSON[name])) for name in features)
    return RuleExplanation(label="low", conditions=conditions)


def path_of(feature: str) -> EditPath:
    return EditPath(toward="high", steps=(PathStep(edits=(Edit(feature=feature, old="a", new="b"),)),))


def similar(features: Sequence[str]) -> SimilarCase:
    importance = Importance(features=tuple(features), weights=(0.5,) * len(features))
    return SimilarCase(case=PERSON, input=PERSON, label="low", importance=importance)


@pytest.mark.parametrize(
    ("explanation", "named"),
    [
        (weights_of("age", "job"), "yes"),
        (weights_of("age", "hours"), "no"),
        (path_of("job"), "yes"),
        (path_of("age"), "no"),
        (similar(["job"]), "yes"),
        (similar(["age"]), "no"),
        (Several(parts=(weights_of("age"), path_of("job"))), "yes"),
    ],
)
def test_an_explanation_names_an_edited_feature_or_does_not(explanation: Explanation, named: str) -> None:
    assert applicability(EDITED, explanation) == {"edits_named": named}


@pytest.mark.parametrize(
    ("features", "flags"),
    [
        (("age", "hours"), {"edits_named": "no", "rule_holds": "yes"}),
        (("job",), {"edits_named": "yes", "rule_holds": "no"}),
    ],
)
def test_a_rule_holds_after_an_edit_of_something_else(features: tuple[str, ...], flags: Json) -> None:
    assert applicability(EDITED, rule_of(*features)) == flags


@pytest.mark.parametrize(("weights", "named"), [((0.0, 0.0, 0.4, 0.0), "yes"), ((0.0, 0.4, 0.0, 0.0), "no")])
def test_words_are_told_apart_by_their_place(weights: tuple[float, ...], named: str) -> None:
    assert applicability(TEXT, TokenAttribution(tokens=WORDS, weights=weights)) == {"edits_named": named}


@pytest.mark.parametrize(("position", "holds"), [(2, "no"), (1, "yes"), (None, "yes")])
def test_a_rule_about_a_word_holds_where_the_word_stays(position: int | None, holds: str) -> None:
    rule = RuleExplanation(label="neg", conditions=(RuleCondition(token="dull", position=position),), tokens=WORDS)
    assert applicability(TEXT, rule)["rule_holds"] == holds


def test_a_case_without_an_edit_and_a_page_without_an_explanation_have_no_flags() -> None:
    assert applicability(PERSON, weights_of("age")) == {}
    assert applicability(EDITED, None) == {}
