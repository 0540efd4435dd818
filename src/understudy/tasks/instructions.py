"""Instructions: pages to read, videos, and a warm-up with a tree."""

import hashlib
from base64 import b64decode
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import ClassVar, Literal, TypeAlias

from pydantic import Field, model_validator

from understudy.registry import register
from understudy.roles import Rng
from understudy.schema import (
    Answers,
    AnyExplanation,
    AssetPath,
    Choice,
    Display,
    Draft,
    Json,
    Number,
    Question,
    Rating,
    Record,
    Stimulus,
    TaskParams,
    files_named_in,
)
from understudy.tasks.pages import OnePage


class Example(Record):
    """An invented case with an explanation, drawn as on later pages."""

    caption: str = ""
    content: Json = {}
    """The case; a page whose example has none shows no example."""
    explanation: AnyExplanation | None = None
    picture: str = Field(default="", exclude=True)
    """Base64 of a small PNG file that the case shows under its content address; the page loads it from there."""

    @model_validator(mode="after")
    def _picture_is_shown(self) -> "Example":
        try:
            file = self.picture_file
        except ValueError:
            raise ValueError("the picture of an example is not base64. Encode the bytes of a PNG file.") from None
        if file and not any(files_named_in(self.content, frozenset(file))):
            raise ValueError(f"an example has a picture that its content does not show. Name it: {', '.join(file)}.")
        return self

    @property
    def picture_file(self) -> dict[str, bytes]:
        """The picture under its content address; empty where there is none."""
        content = b64decode(self.picture, validate=True)
        return {f"{hashlib.sha256(content).hexdigest()}.png": content} if content else {}


class InstructionsParams(TaskParams):
    """The pages, and the files and examples that belong to them, in the same order."""

    pages: tuple[str, ...] = ()
    assets: tuple[str, ...] = ()
    examples: tuple[Example, ...] = ()
    display: Display = Display()


@register("tasks", "instructions")
class Instructions(OnePage):
    """Shows pages of text, with pictures where given, and an explanation of the model below the last; asks nothing."""

    shows_explanation: ClassVar[bool] = True
    Params: ClassVar[type[TaskParams]] = InstructionsParams
    pages: tuple[str, ...] = Field(min_length=1)
    assets: tuple[AssetPath, ...] = ()
    """Files shown next to the pages, in their order; paths relative to the study file."""
    examples: tuple[Example, ...] = ()
    """Examples drawn below the pages, in their order; an empty one below a page that needs none."""
    display: Display = Display()
    """How heat maps of examples are drawn."""

    @model_validator(mode="after")
    def _examples_fit(self) -> "Instructions":
        if len(self.examples) > len(self.pages):
            raise ValueError(
                f"there are {len(self.examples)} examples for {len(self.pages)} pages. Give at most one for each page."
            )
        for example in self.examples:
            if example.explanation is not None and not example.content:
                raise ValueError("an example explains a case that it does not show. Give its content.")
        return self

    @property
    def files(self) -> Mapping[str, bytes]:
        """The pictures of the examples."""
        return {address: content for example in self.examples for address, content in example.picture_file.items()}


# Video: a film with its transcript, and evidence of how much of it was watched.


class VideoParams(TaskParams):
    """The film, as a served file, and its transcript."""

    asset: str = ""
    transcript: str = ""
    must_end: bool = True
    captions: str = ""
    """Captions in WebVTT, as a served file; none when empty."""


class VideoResponse(Record):
    """How much of the film ran on the screen, from 0 to 1."""

    watched_share: float


@register("tasks", "video")
class Video(OnePage):
    """Plays a film; the answer `watched_share` says how much of it ran on the screen."""

    Params: ClassVar[type[TaskParams]] = VideoParams
    Response: ClassVar[type[Record]] = VideoResponse
    typical: ClassVar[Json] = {"watched_share": 1.0}
    asset: AssetPath
    """The film; a path relative to the study file."""
    transcript: str = ""
    must_end: bool = True
    """Whether participants can continue only at the end of the film."""
    captions: AssetPath | None = None
    """Captions in WebVTT; a path relative to the study file."""

    @property
    def questions(self) -> tuple[Question, ...]:
        """How much was watched; the page answers by itself."""
        return (Number(question_id="watched_share", prompt="Share of the film that was played", low=0, high=1),)


# Tree warm-up: a small decision tree about fruit, to learn how a path through a tree is read and checked.

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
