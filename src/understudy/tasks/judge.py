"""Judge: an item, what is revealed about it, its explanation, and questions about it."""

from collections.abc import Sequence
from typing import ClassVar, Literal, TypeAlias

from pydantic import Field, field_validator, model_validator

from understudy.registry import register
from understudy.roles import Rng
from understudy.schema import (
    Answers,
    Choice,
    Display,
    Draft,
    FreeText,
    Json,
    Name,
    Question,
    Record,
    Stimulus,
    TaskParams,
)
from understudy.tasks.pages import ItemParams, ItemTask, answers_of, reading_order, require_attributes


class JudgeParams(ItemParams):
    """An item and what is revealed about it."""


@register("tasks", "judge")
class Judge(ItemTask):
    """Shows one item at a time and asks about it; without questions it is a page to learn from."""

    Params: ClassVar[type[TaskParams]] = JudgeParams
    questions: tuple[Question, ...] = ()

    @model_validator(mode="after")
    def _names_fit(self) -> "Judge":
        self.require_names(self.questions)
        return self

    def drafts(self, stimuli: Sequence[Stimulus], rng: Rng) -> Sequence[Draft]:
        """Return one page for each item."""
        require_attributes("judge", self.attributes(), stimuli)
        return [
            Draft(
                params=JudgeParams(
                    text=self.text,
                    content=stimulus.content,
                    revealed={name: stimulus.truth[name] for name in self.reveals},
                    names=self.names,
                    value_names=self.value_names,
                    order=reading_order(stimulus.content),
                    display=self.display,
                ),
                asks=self.questions,
                answers=answers_of(stimulus, self.keys, self.questions),
            )
            for stimulus in stimuli
        ]


# Relevance: the explanation of a whole model, and for each attribute whether the model relies on it, with a reason.

ATTRIBUTE = "{attribute}"
"""Stands for the name of the attribute in the prompts."""
WHY = "_why"
"""What the id of a justification adds to that of its attribute."""
Verdict: TypeAlias = Literal["relevant", "irrelevant"]


class JudgedAttribute(Record):
    """Something that a model may rely on, and how people read it."""

    attribute_id: Name
    name: str
    """As in the middle of a sentence, such as "the position of the legs"."""
    meaning: str = ""
    """What it means, in a few words below the question."""


class RelevanceParams(TaskParams):
    """The attributes, in the order of their questions, and a text above them."""

    text: str = ""
    attributes: tuple[JudgedAttribute, ...] = ()
    display: Display = Display()


@register("tasks", "relevance")
class Relevance(Record):
    """Asks for each attribute whether it is relevant for the model, and why; the explanation stays in sight.

    Attribute `a` has the questions `a`, answered by an option, and `a_why`, answered in words.
    """

    version: ClassVar[str] = "1"
    Params: ClassVar[type[TaskParams]] = RelevanceParams
    Response: ClassVar[type[Record]] = Answers
    shows_explanation: ClassVar[bool] = True
    asks_relevance: ClassVar[bool] = True
    text: str = ""
    attributes: tuple[JudgedAttribute, ...] = Field(min_length=1)
    prompt: str = f"How relevant is {ATTRIBUTE} for the system?"
    why: str = "Why do you think so? Please write full sentences."
    options: dict[Verdict, str] = {"relevant": "Relevant", "irrelevant": "Irrelevant"}
    """What people choose between, in this order."""
    min_chars: int = Field(default=40, ge=0, le=1_000_000)
    """How long a justification has to be; 0 asks for none."""
    key: dict[Name, Verdict] = {}
    """Attribute id -> the right verdict, for attributes that have one. Stays on the server."""
    display: Display = Display()

    @field_validator("options")
    @classmethod
    def _two_options(cls, options: dict[Verdict, str]) -> dict[Verdict, str]:
        if len(options) != 2 or len(set(options.values())) != 2:
            raise ValueError("options need two different texts, for relevant and for irrelevant.")
        return options

    @model_validator(mode="after")
    def _key_fits(self) -> "Relevance":
        asked = [attribute.attribute_id for attribute in self.attributes]
        unknown = sorted(self.key.keys() - set(asked))
        if unknown:
            raise ValueError(f"the key has {unknown[0]!r}, which is not asked. Asked are: {', '.join(asked)}.")
        ids = [question.question_id for question in self.questions]
        twice = sorted({name for name in ids if ids.count(name) > 1})
        if twice:
            raise ValueError(f"two questions are called {twice[0]!r}. Rename one of the attributes.")
        return self

    @property
    def questions(self) -> tuple[Question, ...]:
        """A choice and, where reasons are wanted, a text for each attribute."""
        questions: list[Question] = []
        for attribute in self.attributes:
            prompt = self.prompt.replace(ATTRIBUTE, attribute.name)
            questions.append(
                Choice(question_id=attribute.attribute_id, prompt=prompt, options=tuple(self.options.values()))
            )
            if self.min_chars:
                why = self.why.replace(ATTRIBUTE, attribute.name)
                questions.append(
                    FreeText(question_id=f"{attribute.attribute_id}{WHY}", prompt=why, min_chars=self.min_chars)
                )
        return tuple(questions)

    @property
    def keyed(self) -> frozenset[str]:
        """The attributes that the key has a verdict on."""
        return frozenset(self.key)

    def drafts(self, stimuli: Sequence[Stimulus], rng: Rng) -> Sequence[Draft]:
        """Return the one page."""
        params = RelevanceParams(text=self.text, attributes=self.attributes, display=self.display)
        answers: Json = {name: self.options[verdict] for name, verdict in self.key.items()}
        return [Draft(params=params, asks=self.questions, answers=answers)]
