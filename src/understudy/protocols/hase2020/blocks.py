"""Blocks and measures of studies in which people predict a model."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple, TypeAlias

from pydantic import JsonValue

from understudy.protocols.hase2020.lessons import examples_of, lesson_of, screening_key, screening_questions
from understudy.protocols.pages import opening, screen
from understudy.schema import (
    Block,
    Choice,
    Exclusion,
    Gate,
    Json,
    MeasureUse,
    Part,
    Question,
    Rating,
    Ref,
    Screen,
    Stage,
    json_from_record,
)

TOO_FAST = Exclusion(
    exclusion_id="too_fast", rule="median_seconds < 1", reason="Spent less than a second on most predictions."
)


def simulation_measures(rated: tuple[str, ...], *, edited: tuple[str, ...] = ()) -> tuple[MeasureUse, ...]:
    """Return the measures, with ratings from the blocks where explanations are rated.

    Those of edited cases also record whether the explanation names what was edited, and whether its rule still holds.
    """
    return (
        MeasureUse(name="correct", measure=Ref(name="correct", params={"question": "prediction"})),
        MeasureUse(
            name="rating", measure=Ref(name="answer", params={"question": "rating", "kind": "bounded"}), blocks=rated
        ),
        MeasureUse(name="seconds", measure=Ref(name="response_time")),
        MeasureUse(name="median_seconds", measure=Ref(name="response_time"), summary="median"),
        *(_flag(name, edited) for name in ("edits_named", "rule_holds") if edited),
    )


def _flag(name: str, edited: tuple[str, ...]) -> MeasureUse:
    """Return a fact about the explanation of an edited case, for analyses to relate answers to."""
    return MeasureUse(name=name, measure=Ref(name="item_is", params={"attribute": name, "value": "yes"}), blocks=edited)


# Blocks of forward and counterfactual simulation: learn, predict, see the explanations, predict the same again.
#
# An arm without explanations goes through the same phases, and sees the examples or pairs again unchanged.

When: TypeAlias = dict[str, str | tuple[str, ...]]
CONTROL = "control"
"""The level of `method` without explanations."""


class PredictionProblem(NamedTuple):
    """What the model predicts, in words for participants."""

    labels: tuple[str, ...]
    about: str
    whole: str
    value_names: Mapping[str, str] = {}
    """Label -> the text that people read for it; the label itself if absent."""
    is_text: bool = False
    """Whether cases are sentences, so that lessons explain a sentence."""

    @property
    def reading(self) -> Json:
        """The parameter with which a judge task shows labels as text."""
        return {"value_names": {**self.value_names}} if self.value_names else {}


class SimulationSetup(NamedTuple):
    """What people predict, with how many cases, and in which part of a study."""

    problem: PredictionProblem
    n_items: int
    n_examples: int
    methods: Mapping[str, tuple[str, ...]]
    """Method -> the kinds of explanation it shows; with `has_control` there is an arm that shows none."""
    has_control: bool = False
    end: str = ""
    """Suffix of the names of blocks and item sets."""
    has_edits: bool = True
    """Whether there is a test with edited cases."""
    when: When = {}
    """The levels for which these blocks exist."""

    @property
    def explained(self) -> When:
        """The levels for which explanations are shown."""
        return {"method": tuple(self.methods)} if self.has_control else {}


_NAMES: Json = {"label": "Correct answer", "prediction": "The model's answer"}
_RATING = Rating(
    question_id="rating",
    prompt="How well does the explanation show why the model gave this answer, right or wrong?",
    points=7,
    low_label="Not at all",
    high_label="Completely",
)


def consent_pages() -> tuple[Screen, ...]:
    """Return the consent page and the check of the window size."""
    return opening(
        "In this study, you learn how a computer model answers, and then predict its answers.\n\n"
        "- You must be 18 or older, and know a little about statistics or computing."
    )


def procedure(tested: SimulationSetup) -> Iterator[Block]:
    """Yield the pages that describe the tests and the choice of cases."""
    for is_control, name, when in _arms(tested, "procedure"):
        problem = tested.problem
        answers = "Both" if len(problem.labels) == 2 else "All"
        edits = ", and half of the edits change the model's answer" if tested.has_edits else ""
        pages: list[JsonValue] = [
            f"{problem.about}\n\nFirst you will see how it answers. Then you predict what it will say. Always predict "
            "what the **model** will say, even if you think it is wrong.",
            f"{_tests(tested, is_control=is_control)}\n\nYou cannot look back at the examples while you predict.",
            "The model is wrong in **half** of the cases, so the correct answer does not tell you what the model says. "
            f"{answers} answers are equally common{edits}.",
        ]
        shown = screen(f"{name}{tested.end}", "instructions", "instructions", {"pages": pages}, {**tested.when, **when})
        yield shown.model_copy(update={"part": _INSTRUCTIONS})


def _tests(tested: SimulationSetup, *, is_control: bool) -> str:
    again = "again" if is_control else "with explanations"
    if not tested.has_edits:
        return f"You study examples and predict new cases. Then you study the same examples {again}, and predict once more."
    later = (
        "You answer each of these cases twice."
        if is_control
        else "You answer each of these cases twice: first without an explanation, then with an explanation of the model's answer to the original."
    )
    return (
        "There are two tests, in random order. In one, you study examples and predict new cases. Then you study the same "
        f"examples {again}, and predict once more. In the other, you see a {tested.problem.whole} with the model's answer. "
        f"You predict its answer to an edited version. {later}"
    )


def lessons(tested: SimulationSetup) -> Iterator[Block]:
    """Yield a lesson for each method, with a made-up example below each page."""
    for method, kinds in tested.methods.items():
        examples = examples_of(kinds, is_text=tested.problem.is_text)
        params: Json = {
            "pages": [*lesson_of(kinds).pages],
            "examples": [json_from_record(example) for example in examples],
        }
        when: When = {**tested.when, "method": method}
        yield screen(f"lesson_{method}{tested.end}", "instructions", "instructions", params, when)


def screening(methods: Mapping[str, tuple[str, ...]], read_again: Mapping[str, tuple[str, ...]]) -> Iterator[Block]:
    """Yield the screening test, to be passed in three tries; `read_again` lists the pages shown after a failed one."""
    for method, kinds in methods.items():
        questions: list[JsonValue] = [json_from_record(question) for question in screening_questions(kinds)]
        yield Screen(
            block_id=f"screening_{method}",
            purpose="comprehension",
            when={"method": method},
            task=Ref(name="questionnaire", params={"questions": questions, "answers": {**screening_key(kinds)}}),
            gate=Gate(
                at_least=1,
                tries=3,
                restudy=read_again[method],
                reason="You have used all three tries for the check questions.",
                pay_share=0.1,
            ),
        )


def forward(tested: SimulationSetup) -> Iterator[Block]:
    """Yield the stages: examples, predictions, examples with explanations, and the same predictions."""
    end, when = tested.end, {**tested.when, "test": "forward"}
    reading = tested.problem.reading
    shown: Json = {"reveals": ["label", "prediction"], "names": _NAMES, **reading}
    case_params: Json = {
        "questions": [_prediction(tested.problem, "case")],
        "keys": {"prediction": "prediction"},
        **reading,
    }
    yield from _introduction(tested, "forward", when)
    yield Stage(
        block_id=f"examples{end}", part=_part("examples"), when=when, purpose="learning", items=f"learning{end}", order="balanced",
        n_items=tested.n_examples, task=Ref(name="judge", params=shown),
    )  # fmt: skip
    yield Stage(
        block_id=f"predict_before{end}", part=_part("predict_before"), when=when, levels={"phase": "before"}, items=f"forward{end}",
        order="balanced", n_items=tested.n_items, task=Ref(name="judge", params=case_params),
    )  # fmt: skip
    yield Stage(
        block_id=f"explained{end}", part=_part("explained"), when={**when, **tested.explained}, levels={"phase": "after"}, purpose="learning",
        repeats=f"examples{end}", order="balanced", explains=True,
        task=Ref(name="judge", params={**shown, "questions": [json_from_record(_RATING)]}),
    )  # fmt: skip
    if tested.has_control:
        yield Stage(
            block_id=f"examples_again{end}", part=_part("examples_again"), when={**when, "method": CONTROL}, levels={"phase": "after"},
            purpose="learning", repeats=f"examples{end}", order="balanced", task=Ref(name="judge", params=shown),
        )  # fmt: skip
    yield Stage(
        block_id=f"predict_after{end}", part=_part("predict_after"), when=when, levels={"phase": "after"},
        repeats=f"predict_before{end}", order="balanced", task=Ref(name="judge", params=case_params),
    )  # fmt: skip


def counterfactual(tested: SimulationSetup) -> Iterator[Block]:
    """Yield the stages: predictions for edited cases, and the same with explanations of the originals."""
    end, when = tested.end, {**tested.when, "test": "counterfactual"}
    names: Json = {"label": "Original: correct answer", "prediction": "Original: model's answer"}
    edited = _prediction(tested.problem, "edited case")
    task: Json = {
        "reveals": ["label", "prediction"],
        "names": names,
        "keys": {"prediction": "edited_prediction"},
        **tested.problem.reading,
    }
    yield from _introduction(tested, "edits", when)
    yield Stage(
        block_id=f"edit_before{end}", part=_part("edit_before"), when=when, levels={"phase": "before"}, items=f"counterfactual{end}",
        order="balanced", n_items=tested.n_items, task=Ref(name="judge", params={**task, "questions": [edited]}),
    )  # fmt: skip
    yield Stage(
        block_id=f"edit_after{end}", part=_part("edit_after"), when={**when, **tested.explained}, levels={"phase": "after"},
        repeats=f"edit_before{end}", order="balanced", explains=True,
        task=Ref(name="judge", params={**task, "questions": [json_from_record(_RATING), edited]}),
    )  # fmt: skip
    if tested.has_control:
        yield Stage(
            block_id=f"edit_again{end}", part=_part("edit_again"), when={**when, "method": CONTROL}, levels={"phase": "after"},
            repeats=f"edit_before{end}", order="balanced",
            task=Ref(name="judge", params={**task, "questions": [edited]}),
        )  # fmt: skip


def _part(name: str) -> Part:
    title, text = _PARTS[name]
    return Part(title=title, text=text)


def _arms(tested: SimulationSetup, name: str) -> Iterator[tuple[bool, str, When]]:
    """Yield the arms of a page: one for all, or one with and one without explanations."""
    yield False, name, tested.explained
    if tested.has_control:
        yield True, f"{name}_{CONTROL}", {"method": CONTROL}


def _introduction(tested: SimulationSetup, name: str, when: When) -> Iterator[Block]:
    for is_control, block, arm in _arms(tested, name):
        last = _AGAIN[name] if is_control else _EXPLAINED[name]
        pages: Json = {"pages": [f"{_FIRST[name]}\n\n{last}"]}
        yield screen(f"{block}{tested.end}", "instructions", "instructions", pages, {**when, **arm})


_INSTRUCTIONS = Part(title="What you will do", has_break=False)
_PARTS = {
    "examples": (
        "Study examples",
        "You see cases with the correct answer and the model's answer. There is nothing to answer yet.",
    ),
    "predict_before": (
        "Predict the model",
        "These cases are new, and the model's answer is hidden. Predict what the **model** will say.",
    ),
    "explained": (
        "The same examples, now with explanations",
        "Each example now has an explanation of the model's answer. Rate how well it shows why the model gave that answer.",
    ),
    "examples_again": ("The same examples again", "Look at them again. There is nothing to answer here."),
    "predict_after": (
        "Predict the same cases again",
        "You predicted these cases before. Use what you have learned since then.",
    ),
    "edit_before": (
        "Predict edited cases",
        "Each case has an edited version. Predict what the model will say about the **edited** one.",
    ),
    "edit_after": (
        "Predict edited cases, now with explanations",
        "The cases are the same. Each now has an explanation of the model's answer to the **original**.",
    ),
    "edit_again": ("The same edited cases again", "The cases are the same. Predict them again."),
}
"""Stage -> its title and what is different from now on."""
_FIRST = {
    "forward": "In this test, you first study examples. Each shows a case, the correct answer and the model's answer. "
    "Take your time. Then you predict the model's answers to new cases.",
    "edits": "In this test, each page shows a case twice: the original, with the correct answer and the model's answer, "
    "and an edited version. The changes are marked. Predict the model's answer to the **edited** version.",
}
_EXPLAINED = {
    "forward": "After that, you see the same examples with explanations, and predict the same cases again.",
    "edits": "After that, you see the same cases with explanations of the model's answer to the original.",
}
_AGAIN = {
    "forward": "After that, you see the same examples again, and predict the same cases again.",
    "edits": "After that, you see the same cases again, and predict again.",
}


def _prediction(problem: PredictionProblem, noun: str) -> Json:
    question: Question = Choice(
        question_id="prediction", prompt=f"What will the model say about this {noun}?", options=problem.labels
    )
    return json_from_record(question)
