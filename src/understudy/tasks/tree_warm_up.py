"""Tree warm-up: a small decision tree about fruit, to learn how a path through a tree is read and checked."""

from collections.abc import Sequence
from types import MappingProxyType
from typing import ClassVar, Literal, TypeAlias

from understudy.registry import register
from understudy.roles import Rng
from understudy.schema import Answers, Choice, Draft, Json, Question, Rating, Record, Stimulus, TaskParams

Part: TypeAlias = Literal["exercise_1", "exercise_2", "result"]
PREDICTION, CONFIDENCE, MISTAKE = "fruit_prediction", "fruit_confidence", "first_mistake"
VERDICTS = ("Correct", "Incorrect")
MISTAKES = ("None", "Colour", "Count", "Shape")
SURE = (
    "Fairly confident it is incorrect",
    "Somewhat confident it is incorrect",
    "Somewhat confident it is correct",
    "Fairly confident it is correct",
)
_KEYS: MappingProxyType[Part, Json] = MappingProxyType({
    "exercise_1": {PREDICTION: "Incorrect", MISTAKE: "Colour"},
    "exercise_2": {PREDICTION: "Correct", MISTAKE: "None"},
    "result": {},
})  # fmt: skip
_REASONS: MappingProxyType[Part, str] = MappingProxyType({
    "exercise_1": "The fruit was yellow, but the model followed the branch for green. Its prediction was incorrect, and the "
    "first mistake was the colour: everything below that step is on the wrong path.",
    "exercise_2": "The fruit was green, and there was only one, so the model took the right branch at each step. Its "
    "prediction was correct, and there was no mistake. That the fruit was a banana does not matter: the tree does not "
    "ask for the shape of green fruit.",
    "result": "",
})  # fmt: skip
"""Why the answers are right; told with the feedback on them, and kept with the answer key until then."""


class TreeWarmUpParams(TaskParams):
    """Which part is shown."""

    text: str = ""
    part: Part = "exercise_1"
    reason: str = ""
    """Why the answers of the part before were right, in materials of version 0.1.0; now told with the feedback."""


@register("tasks", "tree_warm_up")
class TreeWarmUp(Record):
    """Shows a worked example and an exercise, or a second exercise; a page named `result` shows its text only.

    Give each part a screen of its own, and the screens of the exercises `feedback = "per_trial"`: people are then told
    what was right, and why, before they go on. The questions are
    `fruit_prediction`, `fruit_confidence` and `first_mistake`; the first and the last have right answers.
    """

    version: ClassVar[str] = "1"
    Params: ClassVar[type[TaskParams]] = TreeWarmUpParams
    Response: ClassVar[type[Record]] = Answers
    text: str = ""
    part: Part = "exercise_1"

    @property
    def questions(self) -> tuple[Question, ...]:
        """Three questions in an exercise, none with the result."""
        if self.part == "result":
            return ()
        return (
            Choice(question_id=PREDICTION, prompt="Is the prediction correct?", options=VERDICTS),
            Rating(question_id=CONFIDENCE, prompt="How confident are you?", points=len(SURE), labels=SURE),
            Choice(question_id=MISTAKE, prompt="Which step is the model's first mistake?", options=MISTAKES),
        )

    @property
    def keyed(self) -> frozenset[str]:
        """Whether the prediction is correct, and the first mistake."""
        return frozenset(_KEYS[self.part])

    def drafts(self, stimuli: Sequence[Stimulus], rng: Rng) -> Sequence[Draft]:
        """Return the one page."""
        params = TreeWarmUpParams(text=self.text, part=self.part)
        return [Draft(params=params, asks=self.questions, answers=_KEYS[self.part], reason=_REASONS[self.part])]
