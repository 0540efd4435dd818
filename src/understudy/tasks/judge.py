"""Judge: an item, what is revealed about it, its explanation, and questions about it."""

from collections.abc import Sequence
from typing import ClassVar

from pydantic import model_validator

from understudy.registry import register
from understudy.roles import Rng
from understudy.schema import Draft, Question, Stimulus, TaskParams
from understudy.tasks.item_page import ItemParams, ItemTask, answers_of, reading_order, require_attributes


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
