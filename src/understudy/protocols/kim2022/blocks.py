"""Blocks: the pages of a study from consent to feedback, in the order of the paper."""

from typing import NamedTuple

from pydantic import JsonValue

from understudy.protocols.kim2022.lessons import method_params, task_pages
from understudy.protocols.kim2022.photos import Photos
from understudy.protocols.kim2022.variants import Method, Task, has_ratings, is_agreement
from understudy.protocols.pages import consent_page, screen
from understudy.schema import (
    Block,
    Choice,
    FreeText,
    Json,
    MultipleChoice,
    Question,
    Rating,
    Ref,
    Reference,
    Screen,
    Stage,
    json_from_record,
)

# Questions: what is asked about each photo, and three times about the model.

AGREEMENT, PREDICTED, CORRECT = "agreement", "predicted_class", "correct_class"
UNDERSTANDING, EXPERIENCE = "understanding", "ml_experience"
OPTIONS = ("1", "2", "3", "4")
_CONFIDENCE = (
    "Not at all confident",
    "Slightly confident",
    "Somewhat confident",
    "Fairly confident",
    "Completely confident",
)


def agreement() -> Question:
    """Ask whether one prediction is right, on four points; from 3 on it is believed."""
    return Rating(
        question_id=AGREEMENT,
        prompt="What do you think about the model's prediction?",
        points=4,
        labels=(
            "Fairly confident it is incorrect",
            "Somewhat confident it is incorrect",
            "Somewhat confident it is correct",
            "Fairly confident it is correct",
        ),
    )


def predicted_class(noun: str, *, hint: str = "") -> tuple[Question, ...]:
    """Ask which class the model predicts, and how sure the person is."""
    prompt = f"Which {noun} does the model predict?{' ' + hint if hint else ''}"
    return (
        Choice(question_id=PREDICTED, prompt=prompt, options=OPTIONS),
        _confidence("predicted_confidence"),
    )


def correct_class(noun: str) -> tuple[Question, ...]:
    """Ask which class is correct, and how sure the person is."""
    return (
        Choice(question_id=CORRECT, prompt=f"Which {noun} do you think is correct?", options=OPTIONS),
        _confidence("correct_confidence"),
    )


def decision_confidence() -> Question:
    """Ask how sure the person is of two decisions."""
    return _confidence("decision_confidence", "How confident are you in these two decisions?")


def _confidence(question_id: str, prompt: str = "How confident are you in this answer?") -> Question:
    return Rating(question_id=question_id, prompt=prompt, points=5, labels=_CONFIDENCE)


def understanding() -> Question:
    """Ask how well people understand the model; the words are the same all three times."""
    return Rating(
        question_id=UNDERSTANDING,
        prompt="How well do you think you understand how the model makes its predictions?",
        points=5,
        labels=("Very poorly", "Poorly", "Fairly", "Well", "Very well"),
    )


def background() -> tuple[Question, ...]:
    """Ask who takes part; only experience with machine learning must be answered."""
    return (
        Choice(
            question_id="gender", prompt="What is your gender?", is_required=False,
            options=("Man", "Non-binary", "Woman", "I prefer to describe it myself"),
        ),
        FreeText(question_id="gender_own", prompt="You can describe it here.", max_chars=100, is_required=False),
        MultipleChoice(
            question_id="ethnicity", prompt="What are your race and ethnicity?", is_required=False,
            options=(
                "American Indian or Alaska Native", "Asian", "Black or African American",
                "Native Hawaiian or Other Pacific Islander", "White", "Hispanic, Latino or Spanish origin",
            ),
        ),
        Rating(
            question_id=EXPERIENCE, prompt="How much do you know about machine learning?", points=5,
            labels=(
                "I know nothing about it", "I have heard of a few ideas or uses", "I know the basics",
                "I took a course or worked with it", "I use and study it often",
            ),
        ),
    )  # fmt: skip


def keys_of(task: Task) -> dict[str, str]:
    """Return which attribute of an item answers which question."""
    if task in ("distinction", "distinction-label"):
        return {PREDICTED: "option_of_prediction", CORRECT: "option_of_label"}
    return {}


# The task: one page for each photo, as the method and the variant need it.

N_OPTIONS = len(OPTIONS)
_HINTS: dict[Method, str] = {"bagnet": "Pick the map with the most blue and the least brown."}


def task_of(method: Method, task: Task, photos: Photos) -> Ref:
    """Return the task of the main stage."""
    if method == "prototree" and task == "distinction":
        further: Json = {"further_questions": _json(decision_confidence())}
        return Ref(name="decide_steps", params={**_shown(method, task, photos), **further, "outcomes": _outcomes()})
    if task == "tree-aware":
        params: Json = {"further_questions": _json(agreement()), "most_steps": photos.most_rows}
        return Ref(name="check_steps", params={**_shown(method, task, photos), **params})
    if has_ratings(method, task):
        rated: Json = {"further_questions": _json(*_asked(method, task, photos.noun)), "most_rows": photos.most_rows}
        options: Json = {} if is_agreement(task) else {"n_options": N_OPTIONS}
        return Ref(name="rate_matches", params={**_shown(method, task, photos), **rated, **options})
    questions = _json(*_asked(method, task, photos.noun))
    return Ref(name="judge", params={**_shown(method, task, photos), "questions": questions})


def example_task(method: Method, task: Task, photos: Photos) -> Ref:
    """Return the task of the worked examples: the same page, answered."""
    shown = _shown(method, task, photos)
    if method == "prototree" and task == "distinction":
        return _decided_example(shown)
    reveals = (
        ["model_is"] if is_agreement(task) or method == "prototree" else ["option_of_prediction", "option_of_label"]
    )
    names: Json = {
        "model_is": "The prediction is",
        "option_of_prediction": f"The model predicts {photos.noun}",
        "option_of_label": f"The correct {photos.noun} is",
    }
    own = shown.get("reveals")
    revealed: list[JsonValue] = [*(own if isinstance(own, list) else []), *reveals]
    known = shown.get("names")
    return Ref(
        name="judge",
        params={
            "text": "This is an example. Look at the explanation, and see whether the prediction is correct.",
            "reveals": revealed,
            "names": {**(known if isinstance(known, dict) else {}), **{name: names[name] for name in reveals}},
            "value_names": {"right": "correct", "wrong": "incorrect"} if "model_is" in reveals else {},
            "display": shown["display"],
        },
    )


def _decided_example(shown: Json) -> Ref:
    """Return the page with both decisions made as the model made them, and whether its prediction is correct."""
    params: Json = {
        "text": "This is an example with both decisions made. Look at how they lead to a result, and see whether the "
        "prediction is correct.",
        "is_example": True,
        "outcomes": _outcomes(),
        "reveals": ["model_is"],
        "names": {"model_is": "The prediction is"},
        "value_names": {"right": "correct", "wrong": "incorrect"},
    }
    return Ref(name="decide_steps", params={**shown, **params})


def _outcomes() -> list[JsonValue]:
    # Not the name of a class: after the two decisions, a tree may have more steps.
    return [f"Result {number}" for number in OPTIONS]


def _asked(method: Method, task: Task, noun: str) -> tuple[Question, ...]:
    if is_agreement(task):
        return (agreement(),)
    if method == "protopnet":
        return correct_class(noun)
    return (*predicted_class(noun, hint=_HINTS.get(method, "")), *correct_class(noun))


def _shown(method: Method, task: Task, photos: Photos) -> Json:
    """Return what the page reveals: the predicted class as a number, or the label of the photo, or nothing."""
    drawn: Json = {"layout": "overlay", "opacity": 0.55} if method in ("gradcam", "bagnet") else {}
    shown: Json = {"display": {**drawn, "option_name": f"{photos.noun.capitalize()} {{option}}"}}
    if is_agreement(task):
        shown |= {"reveals": ["class_number"], "names": {"class_number": f"The model predicts {photos.noun}"}}
    elif task == "distinction-label":
        shown |= {"reveals": ["label"], "names": {"label": "The photo shows"}}
    asked = {question.question_id for question in _asked(method, task, photos.noun)}
    keys: Json = {question: attribute for question, attribute in keys_of(task).items() if question in asked}
    return shown | ({"keys": keys} if method != "prototree" and keys else {})


def _json(*questions: Question) -> list[JsonValue]:
    return [json_from_record(question) for question in questions]


MAIN, EXAMPLES, ITEMS = "task", "worked_examples", "photos"
WARM_UPS = ("warm_up_1", "warm_up_2")
MOMENT = "moment"
MOMENTS = ("introduction", "task", "results")
RISKS = ("accuracy_low", "accuracy_medium", "accuracy_high")


class Arm(NamedTuple):
    """One method with one task; a study with several of them has a level for each."""

    method: Method
    task: Task
    photos: Photos
    level: str = ""
    """The level of the factor `method`; empty if the study has only one arm."""
    start: str = "blank"
    """Where the sliders of the trade-off start: blank, random or accuracy, which is how the paper did it."""
    shows_tree: bool = True
    """Whether people can open a drawing of the whole tree, for methods that have one."""

    def named(self, block_id: str) -> str:
        """Return the id of a block of this arm."""
        return f"{block_id}_{self.level}" if self.level else block_id

    @property
    def when(self) -> dict[str, str | tuple[str, ...]]:
        """The condition under which its blocks exist."""
        return {"method": self.level} if self.level else {}

    @property
    def tree_explainer(self) -> Ref | None:
        """What draws the whole tree, if people can open it."""
        if self.method != "prototree" or not self.shows_tree:
            return None
        # Where people choose between four numbered outcomes, numbers of classes would be taken for those.
        ends = "none" if self.task == "distinction" else "numbers"
        return Ref(name="whole_tree", params={"ends": ends, "end_name": f"{self.photos.noun.capitalize()} {{number}}"})

    @property
    def has_options(self) -> bool:
        """Whether photos are explained for several classes."""
        return self.task.startswith("distinction") and self.method != "prototree"


def opening(*, pay: str) -> tuple[Screen, ...]:
    """Return consent and background; `pay` says in words what people are paid."""
    consent = consent_page(
        "We want to find out how well people understand a computer's explanations of its predictions about "
        "photos.\n\n- You must be 18 or older.\n- We know of no risks beyond those of everyday life.",
        pay=pay,
    )
    questions: list[JsonValue] = [json_from_record(question) for question in background()]
    about = "These questions help us describe who took part. Only the last one needs an answer."
    return consent, screen("background", "questionnaire", "questionnaire", {"text": about, "questions": questions})


def arm_blocks(arm: Arm) -> tuple[Block, ...]:
    """Return the introduction, the examples, the task, the results and the trade-off of an arm."""
    return (
        *(_warm_up(arm) if arm.method == "prototree" else ()),
        screen(arm.named("method"), "instructions", "instructions", method_params(arm.method, arm.photos), arm.when),
        *([_whole_tree(arm)] if arm.tree_explainer else []),
        _examples(arm),
        _understanding(arm, MOMENTS[0], "Before you start:"),
        screen(
            arm.named("instructions"), "instructions", "instructions",
            {"pages": [*task_pages(arm.method, arm.task, arm.photos)]}, arm.when,
        ),
        _main(arm),
        _understanding(arm, MOMENTS[1], "You have seen all the photos."),
        _disclosure(arm),
        _trade_off(arm),
    )  # fmt: skip


def closing() -> tuple[Screen, ...]:
    """Return the last pages."""
    feedback = FreeText(
        question_id="feedback", prompt="Is there anything you would like to tell us?", is_required=False
    )
    about = (
        "Thank you. We compare how well different explanations help people tell correct predictions from incorrect ones. "
        "In some parts of the study, we chose photos for which the model is wrong more often than usual."
    )
    return (
        screen("feedback", "questionnaire", "questionnaire", {"questions": [json_from_record(feedback)]}),
        screen("debrief", "debrief", "debrief", {"text": about}),
    )


def _warm_up(arm: Arm) -> tuple[Screen, ...]:
    return tuple(
        screen(arm.named(name), "practice", "tree_warm_up", {"part": f"exercise_{number}"}, arm.when).model_copy(
            update={"feedback": "per_trial"}
        )
        for number, name in enumerate(WARM_UPS, start=1)
    )


def _whole_tree(arm: Arm) -> Screen:
    text = (
        "The model has one tree for all photos. You can open a drawing of it here, enlarge it and move around in it. You "
        "do not have to remember it: during the task, you can open it again with the button **The whole tree** at the top."
    )
    page = screen(arm.named("tree"), "instructions", "instructions", {"pages": [text]}, arm.when)
    return page.model_copy(update={"explains_model": True})


def _examples(arm: Arm) -> Stage:
    return Stage(
        block_id=arm.named(EXAMPLES),
        purpose="learning",
        when=arm.when,
        task=example_task(arm.method, arm.task, arm.photos),
        items=EXAMPLES,
        order="given",
        explains=True,
        candidates=N_OPTIONS if arm.has_options else None,
    )


def _main(arm: Arm) -> Stage:
    return Stage(
        block_id=arm.named(MAIN),
        when=arm.when,
        task=task_of(arm.method, arm.task, arm.photos),
        items=ITEMS,
        explains=True,
        candidates=N_OPTIONS if arm.has_options else None,
        references=(
            Reference(block=arm.named("method")),
            *([Reference(block=arm.named("tree"))] if arm.tree_explainer else []),
        ),
    )


def _understanding(arm: Arm, moment: str, text: str) -> Screen:
    params: Json = {"text": text, "questions": [json_from_record(understanding())]}
    page = screen(arm.named(f"understanding_{moment}"), "questionnaire", "questionnaire", params, arm.when)
    return page.model_copy(update={"levels": {MOMENT: moment}})


def _disclosure(arm: Arm) -> Screen:
    params: Json = {
        "text": "This is how you did.",
        "rules": _rules(arm),
        "questions": [json_from_record(understanding())],
    }
    page = screen(arm.named("results"), "questionnaire", "disclosure", params, arm.when)
    return page.model_copy(update={"levels": {MOMENT: MOMENTS[2]}})


def _rules(arm: Arm) -> list[JsonValue]:
    """Return how people are told how they did; this is not how the analysis scores them."""
    block = arm.named(MAIN)
    if is_agreement(arm.task):
        return [{"rule": "median_split", "block": block, "question": AGREEMENT}]
    if arm.method == "prototree":
        return [
            {"rule": "share_correct", "block": block, "chance": 0.25, "title": "Photos that reached the right result"}
        ]
    correct: Json = {"rule": "share_correct", "block": block, "question": CORRECT, "chance": 0.25}
    correct["title"] = f"The correct {arm.photos.noun}"
    predicted: Json = {**correct, "question": PREDICTED, "title": f"The {arm.photos.noun} that the model predicts"}
    return [correct] if arm.method == "protopnet" else [predicted, correct]


def _trade_off(arm: Arm) -> Screen:
    accuracy = arm.photos.accuracy
    text = (
        f"The model with explanations is right for {accuracy:g}% of photos. Imagine another model without any "
        "explanation. How accurate would it have to be, at least, for you to use it instead?"
    )
    params: Json = {
        "text": text,
        "accuracy": accuracy,
        "n_classes": arm.photos.n_classes,
        "scenarios": dict(arm.photos.risks),
        "low": max(0, int((accuracy - 9) // 10 * 10)),
        "high": 100,
        "start": arm.start,
        "rules": _rules(arm),
    }
    return screen(arm.named("trade_off"), "questionnaire", "trade_off", params, arm.when)
