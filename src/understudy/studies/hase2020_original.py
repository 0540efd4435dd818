"""Hase and Bansal (2020) with their own stimuli: ten arms, forward and counterfactual simulation, before and after.

What the paper leaves open is settled here: the two tests come in an order drawn for each person, cases are shuffled for
each person with every prefix balanced, and the screening test is our own.
"""

from collections.abc import Iterator
from typing import NamedTuple

from pydantic import JsonValue

from understudy.schema import (
    AssignmentRule,
    Binding,
    Block,
    Choice,
    Exclusion,
    Factor,
    Gate,
    ItemSet,
    Json,
    Loop,
    MeasureUse,
    Pay,
    Question,
    Rating,
    Ref,
    Screen,
    Stage,
    Stop,
    Study,
    json_from_record,
)
from understudy.studies.hase2020_methods import LESSONS, screening_key, screening_questions
from understudy.studies.hase2020_original_plan import original_plan
from understudy.studies.ross2021_pages import closing, screen


class Matter(NamedTuple):
    """What a domain is about, in words."""

    labels: tuple[str, str]
    about: str
    whole: str


DOMAINS = {
    "text": Matter(
        ("positive", "negative"),
        "A computer model reads a sentence from a film review and says whether the review is **positive** or "
        "**negative**.",
        "sentence",
    ),
    "tabular": Matter(
        ("above $50K", "below $50K"),
        "A computer model reads twelve facts about a person from a census of 1994 and says whether this person earns "
        "**above** or **below** 50,000 dollars a year.",
        "person",
    ),
}
METHODS = {
    "lime": "LIME",
    "anchor": "Anchor",
    "prototype": "prototype",
    "decision_boundary": "decision_boundary",
    "composite": "composite",
}
"""Method -> its name in the released sheets."""
PARTS = ("learning", "forward", "counterfactual")
_NAMES: Json = {"label": "True answer", "prediction": "The model's answer"}
_RATING = Rating(
    question_id="rating",
    prompt="How well does the explanation show the model's reasons, whether its answer is right or wrong?",
    points=7,
    low_label="Not at all",
    high_label="Fully",
)


def hase2020_original(*, n_items: int = 32, n_examples: int = 16, quota: int = 4) -> Study:
    """Build the study; 16 cases in each test are the paper's short form, and any multiple of 8 keeps the balance."""
    return Study(
        name="hase2020-original",
        title="Forward and counterfactual simulation with the original stimuli (after Hase and Bansal, 2020)",
        shown_title="Predict a computer model",
        question="Do explanations of a text or a tabular model help people to predict its answers to new cases, and to "
        "edited ones, and which of five methods helps?",
        factors=(
            Factor(name="domain", scope="between", levels=tuple(DOMAINS)),
            Factor(name="method", scope="between", levels=tuple(METHODS)),
            Factor(name="test", scope="within", levels=("forward", "counterfactual")),
            Factor(name="phase", scope="within", levels=("before", "after")),
        ),
        bindings=tuple(_bindings()),
        assignment=AssignmentRule(quota=quota, release_after_min=120),
        item_sets=tuple(_item_sets()),
        flow=(*_opening(), *_screening(), _tests(n_items, n_examples), *_closing()),
        measures=(
            MeasureUse(name="correct", measure=Ref(name="correct", params={"question": "prediction"})),
            MeasureUse(
                name="rating",
                measure=Ref(name="answer", params={"question": "rating", "kind": "bounded"}),
                blocks=tuple(f"{block}_{domain}" for domain in DOMAINS for block in ("explained", "edit_after")),
            ),
            MeasureUse(name="seconds", measure=Ref(name="response_time")),
            MeasureUse(name="median_seconds", measure=Ref(name="response_time"), summary="median"),
        ),
        exclusions=(
            Exclusion(
                exclusion_id="too_fast",
                rule="median_seconds < 1",
                reason="Took less than a second for most predictions.",
            ),
        ),
        pay=Pay(currency="USD", base=15.0, expected_minutes=60),
        plan=original_plan(tuple(DOMAINS), tuple(METHODS)),
        seed=2020,
    )


def _bindings() -> Iterator[Binding]:
    for domain in DOMAINS:
        yield Binding(when={"domain": domain}, model=Ref(name="imported_answers", params={"domain": domain}))
        for method, sheet in METHODS.items():
            params: Json = {"domain": domain, "method": sheet}
            yield Binding(
                when={"domain": domain, "method": method}, explainer=Ref(name="imported_explanations", params=params)
            )


def _item_sets() -> Iterator[ItemSet]:
    for domain in DOMAINS:
        for part in PARTS:
            edited = ("keeps",) if part == "counterfactual" else ()
            params: Json = {"domain": domain, "part": part}
            yield ItemSet(
                name=f"{part}_{domain}",
                n_items=16 if part == "learning" else 32,
                dataset=Ref(name="hase_stimuli", params=params),
                strata=("label", "prediction", *edited),
            )


def _opening() -> Iterator[Block]:
    text = (
        "You will study how a computer model answers, and predict its answers. It takes about an hour, and you receive 15 "
        "dollars.\n\n"
        "- You must be 18 or older, and know a little about statistics or computing.\n"
        "- Taking part is voluntary. You can stop at any time, without giving a reason.\n"
        "- No name is recorded, and results are published for groups only."
    )
    yield Screen(
        block_id="consent",
        purpose="consent",
        task=Ref(name="consent", params={"text": text}),
        stops=(Stop(rule="consent != 'I agree'", outcome="declined", reason="Did not agree to take part."),),
    )
    yield screen("window", "check", "device_check", {})
    for domain, matter in DOMAINS.items():
        pages: list[JsonValue] = [
            f"{matter.about}\n\nYou will see how it answers, and then predict what it will say. Please predict the "
            "**model**, also where you think that it is wrong.",
            "There are two tests, in an order drawn for you. In one you study examples, predict new cases, study the same "
            f"examples with explanations, and predict once more. In the other you see a {matter.whole} with the model's "
            "answer, and predict its answer to an edited version: first without, later with an explanation of the answer "
            "to the original.\n\nWhile you predict, you cannot look back at the examples.",
            "The cases are chosen with care. In **half** of them the model is wrong, so the true answer does not give the "
            "model's answer away. Both answers come equally often, and half of the edits change the model's answer.",
        ]
        yield screen(f"procedure_{domain}", "instructions", "instructions", {"pages": pages}, {"domain": domain})


def _screening() -> Iterator[Block]:
    """The method, and a test of it that can be taken three times: all answers must be right."""
    for method, lesson in LESSONS.items():
        yield screen(f"lesson_{method}", "instructions", "instructions", {"pages": [*lesson.pages]}, {"method": method})
        questions: list[JsonValue] = [json_from_record(one) for one in screening_questions(method)]
        yield Screen(
            block_id=f"screening_{method}",
            purpose="comprehension",
            when={"method": method},
            task=Ref(name="questionnaire", params={"questions": questions, "answers": {**screening_key(method)}}),
            gate=Gate(
                at_least=1,
                tries=3,
                restudy=(*(f"procedure_{domain}" for domain in DOMAINS), f"lesson_{method}"),
                reason="The screening test was not passed in three tries.",
                pay_share=0.1,
            ),
        )


def _tests(n_items: int, n_examples: int) -> Loop:
    blocks = [
        block
        for domain, matter in DOMAINS.items()
        for block in (*_forward(domain, matter, n_items, n_examples), *_counterfactual(domain, matter, n_items))
    ]
    return Loop(block_id="tests", over="test", blocks=tuple(blocks))


def _forward(domain: str, matter: Matter, n_items: int, n_examples: int) -> Iterator[Block]:
    when: dict[str, str | tuple[str, ...]] = {"domain": domain, "test": "forward"}
    shown: Json = {"reveals": ["label", "prediction"], "names": _NAMES}
    asked: Json = {"questions": [_prediction(matter, "case")], "keys": {"prediction": "prediction"}}
    yield screen(f"forward_{domain}", "instructions", "instructions", {"pages": [_FORWARD]}, when)
    yield Stage(
        block_id=f"examples_{domain}", when=when, purpose="learning", items=f"learning_{domain}", order="balanced",
        n_items=n_examples, task=Ref(name="judge", params=shown),
    )  # fmt: skip
    yield Stage(
        block_id=f"predict_before_{domain}", when=when, levels={"phase": "before"}, items=f"forward_{domain}",
        order="balanced", n_items=n_items, task=Ref(name="judge", params=asked),
    )  # fmt: skip
    yield Stage(
        block_id=f"explained_{domain}", when=when, levels={"phase": "after"}, purpose="learning",
        repeats=f"examples_{domain}", order="balanced", explains=True,
        task=Ref(name="judge", params={**shown, "questions": [json_from_record(_RATING)]}),
    )  # fmt: skip
    yield Stage(
        block_id=f"predict_after_{domain}", when=when, levels={"phase": "after"},
        repeats=f"predict_before_{domain}", order="balanced", task=Ref(name="judge", params=asked),
    )  # fmt: skip


def _counterfactual(domain: str, matter: Matter, n_items: int) -> Iterator[Block]:
    when: dict[str, str | tuple[str, ...]] = {"domain": domain, "test": "counterfactual"}
    names: Json = {"label": "True answer to the original", "prediction": "The model's answer to the original"}
    edited = _prediction(matter, "edited case")
    task: Json = {"reveals": ["label", "prediction"], "names": names, "keys": {"prediction": "edited_prediction"}}
    yield screen(f"edits_{domain}", "instructions", "instructions", {"pages": [_COUNTERFACTUAL]}, when)
    yield Stage(
        block_id=f"edit_before_{domain}", when=when, levels={"phase": "before"}, items=f"counterfactual_{domain}",
        order="balanced", n_items=n_items, task=Ref(name="judge", params={**task, "questions": [edited]}),
    )  # fmt: skip
    yield Stage(
        block_id=f"edit_after_{domain}", when=when, levels={"phase": "after"}, repeats=f"edit_before_{domain}",
        order="balanced", explains=True,
        task=Ref(name="judge", params={**task, "questions": [json_from_record(_RATING), edited]}),
    )  # fmt: skip


_FORWARD = (
    "In this test you study examples first: each shows a case, the true answer and the model's answer. Take the time you "
    "need. Then you predict the model's answers to new cases.\n\nAfter that, the same examples come again with "
    "explanations, and you predict the same cases once more."
)
_COUNTERFACTUAL = (
    "In this test each case comes twice on one page: the original, with the true answer and the model's answer, and an "
    "edited version. What is different is marked. Predict the model's answer to the **edited** version.\n\nAfter that, "
    "the same cases come again with explanations of the model's answer to the original."
)


def _prediction(matter: Matter, what: str) -> Json:
    question: Question = Choice(
        question_id="prediction", prompt=f"What will the model say about this {what}?", options=matter.labels
    )
    return json_from_record(question)


def _closing() -> tuple[Screen, ...]:
    return closing(
        "You saw explanations made by one of five methods. We want to know with which of them people learn best what a "
        "model will answer. The cases and explanations were made by Hase and Bansal for a study of 2020. Thank you."
    )


def arms() -> tuple[str, ...]:
    """Return the names of the ten arms."""
    return tuple(f"{domain}-{method}" for domain in DOMAINS for method in METHODS)
