"""The common part of tasks about rows: an item whose explanation is a list of comparisons, then the study's questions."""

from collections.abc import Sequence
from typing import ClassVar, Self

from pydantic import model_validator

from understudy.roles import Rng
from understudy.schema import Answers, Display, Draft, Json, Question, Record, Stimulus, TaskParams
from understudy.tasks.item_page import (
    answers_of,
    reading_order,
    require_asked,
    require_attributes,
    require_distinct,
    require_revealed,
)


class RowPage(Record):
    """Shows an item and its comparisons; what is asked about each of them depends on the item."""

    version: ClassVar[str] = "1"
    Params: ClassVar[type[TaskParams]]
    Response: ClassVar[type[Record]] = Answers
    shows_explanation: ClassVar[bool] = True
    name: ClassVar[str]
    """The name of the task, for messages."""
    text: str = ""
    further_questions: tuple[Question, ...] = ()
    """The study's own questions, which come after those about the rows."""
    keys: dict[str, str] = {}
    """Question id -> the item's attribute that holds the right answer, such as prediction. Stays on the server."""
    reveals: tuple[str, ...] = ()
    """Attributes shown openly with the item, such as prediction."""
    names: dict[str, str] = {}
    """Revealed attribute -> its name on the page; by default its own name in words."""
    value_names: dict[str, str] = {}
    """Value -> what people read for it in choices and in what is revealed. Answers keep the value."""
    display: Display = Display()
    """How explanations are drawn."""

    @property
    def questions(self) -> tuple[Question, ...]:
        """Everything that a page may ask; an item with fewer rows asks less."""
        return self.further_questions

    @property
    def keyed(self) -> frozenset[str]:
        """The questions that the item has an answer to."""
        return frozenset(self.keys)

    @model_validator(mode="after")
    def _names_fit(self) -> Self:
        asked = self.questions
        require_asked(self.keys, asked)
        require_revealed(self.names, self.reveals)
        require_distinct(self.value_names, asked)
        ids = [question.question_id for question in asked]
        twice = sorted({name for name in ids if ids.count(name) > 1})
        if twice:
            raise ValueError(f"two questions are called {twice[0]!r}. Rename the one among the further questions.")
        return self

    def drafts(self, stimuli: Sequence[Stimulus], rng: Rng) -> Sequence[Draft]:
        """Return one page for each item."""
        require_attributes(self.name, self._wanted(), stimuli)
        return [self._draft(stimulus) for stimulus in stimuli]

    def _draft(self, stimulus: Stimulus) -> Draft:
        asks = (*self._row_questions(stimulus), *self.further_questions)
        shown = {name: value for name, value in self if name in self.Params.model_fields}
        params = self.Params.model_validate(
            {
                **shown,
                "content": stimulus.content,
                "revealed": {name: stimulus.truth[name] for name in self.reveals},
                "order": reading_order(stimulus.content),
            }
        )
        return Draft(params=params, asks=asks, answers=self._answers(stimulus, asks))

    def _wanted(self) -> set[str]:
        """Return the attributes that items need."""
        return {*self.keys.values(), *self.reveals}

    def _row_questions(self, stimulus: Stimulus) -> tuple[Question, ...]:
        """Return what is asked about the rows of an item."""
        return ()

    def _answers(self, stimulus: Stimulus, asks: tuple[Question, ...]) -> Json:
        return answers_of(stimulus, self.keys, asks)
