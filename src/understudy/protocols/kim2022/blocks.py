"""Blocks: the pages of a study from consent to feedback, in the order of the paper."""

from typing import NamedTuple

from pydantic import JsonValue

from understudy.protocols.kim2022.lessons import method_params, task_pages
from understudy.protocols.kim2022.photos import Photos
from understudy.protocols.kim2022.questions import AGREEMENT, CORRECT, PREDICTED, background, understanding
from understudy.protocols.kim2022.task_stage import N_OPTIONS, example_task, task_of
from understudy.protocols.kim2022.variants import Method, Task, is_agreement
from understudy.protocols.pages import consent_page, screen
from understudy.schema import Block, FreeText, Json, Ref, Reference, Screen, Stage, json_from_record

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
