"""People who work out a model's answers see what the page shows, and remember what they studied."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from understudy.registry import create
from understudy.roles import Participant, mind_of
from understudy.schema import (
    Attribution,
    Choice,
    Explanation,
    Impression,
    Rating,
    Ref,
    RuleCondition,
    RuleExplanation,
    Several,
    TokenAttribution,
    Trial,
)

YES_NO = Choice(question_id="prediction", prompt="What will the model say?", options=("yes", "no"))
RATING = Rating(question_id="rating", prompt="How good?", points=7)
RAIN, SUN = {"sky": "rain", "wind": "calm"}, {"sky": "sun", "wind": "calm"}


def page(content: dict[str, Any], *, told: dict[str, Any] | None = None, why: Explanation | None = None) -> Trial:
    return Trial(
        trial_id="t",
        block_id="b",
        task="judge",
        params={"content": content, "revealed": told or {}},
        asks=() if told and "edited" not in content else (YES_NO,),
        explanation=why,
    )


def pair(original: dict[str, Any], edited: dict[str, Any], prediction: str, why: Explanation | None = None) -> Trial:
    return page({"original": original, "edited": edited}, told={"label": "no", "prediction": prediction}, why=why)


def somebody(name: str, **params: Any) -> Participant:
    habits = {"lapse": 0.0}
    made: Participant = create("participants", Ref(name=name, params={"habits": habits, **params}))
    return mind_of(made)


def answers(person: Participant, trials: Sequence[Trial]) -> list[Any]:
    """Return the predictions of one person who meets these trials in turn."""
    rng = np.random.default_rng(5)
    given = [person.respond(trial, Impression(answers={"prediction": "never"}), rng, None) for trial in trials]
    assert all(given)
    return [one.response["prediction"] for one in given if one is not None and "prediction" in one.response]


def attribution(weights: dict[str, float], baseline: float | None = 0.5) -> Explanation:
    total = None if baseline is None else baseline + sum(weights.values())
    return Attribution(
        features=tuple(weights), weights=tuple(weights.values()), toward="yes", baseline=baseline, total=total
    )


def rule(label: str, **facts: str) -> Explanation:
    conditions = tuple(RuleCondition(feature=name, value=value) for name, value in facts.items())
    return RuleExplanation(label=label, conditions=conditions)


def words(text: str) -> dict[str, Any]:
    return {"tokens": text.split()}


def test_a_label_guesser_answers_the_shown_label() -> None:
    assert answers(somebody("label_guesser"), [pair(RAIN, SUN, "yes")] * 20) == ["no"] * 20


def test_a_label_guesser_guesses_where_no_label_is_shown() -> None:
    assert set(answers(somebody("label_guesser"), [page(RAIN)] * 40)) == {"yes", "no"}


def test_a_prior_only_person_answers_in_proportion_to_the_examples() -> None:
    examples = [page(RAIN, told={"prediction": word}) for word in ["yes", "yes", "yes", "no"]]
    given = answers(somebody("prior_only"), [*examples, *[page(SUN)] * 2000])
    assert np.mean([one == "yes" for one in given]) == pytest.approx(0.75, abs=0.04)


def test_a_nearest_neighbour_answers_as_for_the_most_similar_example() -> None:
    examples = [page(RAIN, told={"prediction": "yes"}), page(SUN, told={"prediction": "no"})]
    person = somebody("nearest_neighbour", forgets=0)
    assert answers(person, [*examples, page({"sky": "rain", "wind": "storm"})]) == ["yes"]


def test_a_nearest_neighbour_keeps_no_more_than_the_last_examples() -> None:
    examples = [page(RAIN, told={"prediction": "yes"}), page(SUN, told={"prediction": "no"})]
    person = somebody("nearest_neighbour", forgets=0, n_kept=1)
    assert answers(person, [*examples, page(RAIN)]) == ["no"]


def test_a_nearest_neighbour_who_forgets_everything_guesses() -> None:
    person = somebody("nearest_neighbour", forgets=1)
    given = answers(person, [page(RAIN, told={"prediction": "yes"}), *[page(RAIN)] * 40])
    assert set(given) == {"yes", "no"}


def test_a_lime_reader_carries_weights_from_examples_to_new_cases() -> None:
    examples = [
        page(RAIN, told={"prediction": "yes"}, why=attribution({"sky": 0.4})),
        page(SUN, told={"prediction": "no"}, why=attribution({"sky": -0.3})),
    ]
    new = [page({"sky": "rain", "wind": "storm"}), page({"sky": "sun", "wind": "storm"})]
    assert answers(somebody("lime_reader"), [*examples, *new * 10]) == ["yes", "no"] * 10


def test_a_lime_reader_keeps_weights_for_different_labels_apart() -> None:
    def weighed(name: str, toward: str, weights: dict[str, float]) -> Trial:
        why = Attribution(features=tuple(weights), weights=tuple(weights.values()), toward=toward)
        return page({"word": name, "place": "here"}, told={"prediction": toward}, why=why)

    read = [
        weighed("goal", "sports", {"word": 0.9, "place": 0.3}),
        weighed("atom", "science", {"word": 0.8, "place": 0.1}),
        weighed("vote", "politics", {"word": 0.7, "place": 0.2}),
    ]
    topic = YES_NO.model_copy(update={"options": ("politics", "science", "sports")})
    new = [page({"word": word, "place": "there"}) for word in ("goal", "atom", "vote")]
    asked = [trial.model_copy(update={"asks": (topic,)}) for trial in new]
    assert answers(somebody("lime_reader"), [*read, *asked]) == ["sports", "science", "politics"]


def test_a_lime_reader_takes_a_new_number_for_the_nearest_that_it_met() -> None:
    low = numbered({"20": -0.4})
    high = numbered({"60": 0.4})
    read = [
        page({"age": "20"}, told={"prediction": "no"}, why=low),
        page({"age": "60"}, told={"prediction": "yes"}, why=high),
    ]
    asked = [page({"age": age}) for age in ("17", "35", "45", "71.5")]
    assert answers(somebody("lime_reader"), [*read, *asked]) == ["no", "no", "yes", "yes"]


def numbered(weights: dict[str, float]) -> Explanation:
    return Attribution(features=("age",), values=tuple(weights), weights=tuple(weights.values()), toward="yes")


def test_a_lime_reader_learns_words_wherever_they_stand() -> None:
    why = TokenAttribution(tokens=("a", "dull", "play"), weights=(0, -0.4, 0), toward="yes")
    examples = [page(words("a dull play"), told={"prediction": "no"}, why=why)]
    assert answers(somebody("lime_reader"), [*examples, *[page(words("so very dull"))] * 10]) == ["no"] * 10


def test_a_lime_reader_without_explanations_guesses() -> None:
    person = somebody("lime_reader")
    examples = [page(RAIN, told={"prediction": "yes"})] * 3
    assert set(answers(person, [*examples, *[page(RAIN)] * 40])) == {"yes", "no"}


def test_a_lime_reader_takes_off_what_an_edit_removes() -> None:
    why = attribution({"sky": 0.4, "wind": 0.1}, baseline=0.3)
    windy = {"sky": "rain", "wind": "storm"}
    trials = [pair(RAIN, SUN, "yes", why), pair(RAIN, windy, "yes", why)]
    assert answers(somebody("lime_reader"), trials * 10) == ["no", "yes"] * 10


def test_a_lime_reader_keeps_the_answer_when_the_edit_is_not_listed() -> None:
    why = attribution({"sky": -0.4}, baseline=0.9)
    assert answers(somebody("lime_reader"), [pair(RAIN, {**RAIN, "wind": "storm"}, "no", why)] * 10) == ["no"] * 10


def test_a_lime_reader_finds_weights_among_several_explanations() -> None:
    several = Several(parts=(rule("no", sky="rain"), attribution({"sky": 0.4})))
    trials = [page(RAIN, told={"prediction": "yes"}, why=several), *[page(RAIN)] * 10]
    assert answers(somebody("lime_reader"), trials) == ["yes"] * 10


def test_a_rule_follower_applies_the_longest_rule_that_holds() -> None:
    examples = [
        page(RAIN, told={"prediction": "yes"}, why=rule("yes", sky="rain")),
        page(RAIN, told={"prediction": "no"}, why=rule("no", sky="rain", wind="storm")),
    ]
    new = [page(RAIN), page({"sky": "rain", "wind": "storm"})]
    assert answers(somebody("rule_follower"), [*examples, *new * 10]) == ["yes", "no"] * 10


def test_a_rule_follower_takes_a_broken_rule_for_a_change() -> None:
    why = rule("yes", sky="rain")
    trials = [pair(RAIN, SUN, "yes", why), pair(RAIN, {**RAIN, "wind": "storm"}, "yes", why)]
    assert answers(somebody("rule_follower"), trials * 10) == ["no", "yes"] * 10


def test_two_sessions_of_one_person_share_no_memory() -> None:
    entry: Participant = create("participants", Ref(name="rule_follower"))
    answers(mind_of(entry), [page(RAIN, told={"prediction": "yes"}, why=rule("yes", sky="rain"))])
    assert set(answers(mind_of(entry), [page(RAIN)] * 40)) == {"yes", "no"}


def test_people_who_may_leave_remember_until_then() -> None:
    params: dict[str, Any] = {"hazard": 0, "until_then": {"name": "prior_only"}}
    person = mind_of(create("participants", Ref(name="dropout", params=params)))
    examples = [page(RAIN, told={"prediction": "yes"})] * 4
    given = answers(person, [*examples, *[page(SUN)] * 200])
    assert np.mean([one == "yes" for one in given]) > 0.9


def test_lapses_are_guesses() -> None:
    person = somebody("label_guesser", habits={"lapse": 0.5})
    given = answers(person, [pair(RAIN, SUN, "yes")] * 2000)
    assert np.mean([one == "no" for one in given]) == pytest.approx(0.75, abs=0.04)


def test_explanations_take_time_to_read() -> None:
    told = {"prediction": "yes"}
    trials = [page(RAIN, told=told), page(RAIN, told=told, why=attribution({"sky": 0.4}))]
    person, rngs = somebody("lime_reader"), [np.random.default_rng(1), np.random.default_rng(1)]
    plain, explained = (person.respond(trial, Impression(), rng, None) for trial, rng in zip(trials, rngs, strict=True))
    assert plain is not None
    assert explained is not None
    assert explained.rt_ms == pytest.approx(plain.rt_ms * 15 / 9)


def test_other_questions_are_left_to_others() -> None:
    trial = page(RAIN, told={"prediction": "yes"}).model_copy(update={"asks": (RATING,)})
    given = somebody("lime_reader").respond(trial, Impression(latents={"rating": 9.0}), np.random.default_rng(1), None)
    assert given is not None
    assert given.response == {"rating": 7}
