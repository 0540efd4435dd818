"""The common part of tasks about rows: an item whose explanation is a list of comparisons, then the study's questions."""

from collections.abc import Sequence
from typing import ClassVar, Self

from pydantic import model_validator

from understudy.roles import Rng
from understudy.schema import Draft, Json, Question, Stimulus
from understudy.tasks.item_page import ItemTask, answers_of, reading_order, require_attributes


class RowPage(ItemTask):
    """Shows an item and its comparisons; what is asked about each of them depends on the item."""

    name: ClassVar[str]
    """The name of the task, for messages."""
    further_questions: tuple[Question, ...] = ()
    """The study's own questions, which come after those about the rows."""

    @property
    def questions(self) -> tuple[Question, ...]:
        """Everything that a page may ask; an item with fewer rows asks less."""
        return self.further_questions

    @model_validator(mode="after")
    def _names_fit(self) -> Self:
        asked = self.questions
        self.require_names(asked)
        ids = [question.question_id for question in asked]
        twice = sorted({name for name in ids if ids.count(name) > 1})
        if twice:
            raise ValueError(f"two questions are called {twice[0]!r}. Rename the one among the further questions.")
        return self

    def drafts(self, stimuli: Sequence[Stimulus], rng: Rng) -> Sequence[Draft]:
        """Return one page for each item."""
        require_attributes(self.name, self.attributes(), stimuli)
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

    def _row_questions(self, stimulus: Stimulus) -> tuple[Question, ...]:
        """Return what is asked about the rows of an item."""
        return ()

    def _answers(self, stimulus: Stimulus, asks: tuple[Question, ...]) -> Json:
        return answers_of(stimulus, self.keys, asks)
