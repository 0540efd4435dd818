"""Judge: an item, what is revealed about it, its explanation, and questions about it."""

from collections.abc import Sequence
from typing import ClassVar

from pydantic import model_validator

from understudy.registry import register
from understudy.roles import Rng
from understudy.schema import Answers, Display, Draft, Question, Record, Stimulus, TaskParams
from understudy.tasks.item_page import (
    ItemParams,
    answers_of,
    reading_order,
    require_asked,
    require_attributes,
    require_distinct,
    require_revealed,
)


class JudgeParams(ItemParams):
    """An item and what is revealed about it."""


@register("tasks", "judge")
class Judge(Record):
    """Shows one item at a time and asks about it; without questions it is a page to learn from."""

    version: ClassVar[str] = "1"
    Params: ClassVar[type[TaskParams]] = JudgeParams
    Response: ClassVar[type[Record]] = Answers
    shows_explanation: ClassVar[bool] = True
    text: str = ""
    questions: tuple[Question, ...] = ()
    keys: dict[str, str] = {}
    """Question id -> the item's attribute that holds the right answer, such as prediction. Stays on the server."""
    reveals: tuple[str, ...] = ()
    """Attributes shown openly with the item, such as label."""
    names: dict[str, str] = {}
    """Revealed attribute -> its name on the page; by default its own name in words."""
    value_names: dict[str, str] = {}
    """Value -> what people read for it in choices, in what is revealed and in explanations. Answers keep the value."""
    display: Display = Display()
    """How heat maps are drawn."""

    @model_validator(mode="after")
    def _names_fit(self) -> "Judge":
        require_asked(self.keys, self.questions)
        require_revealed(self.names, self.reveals)
        require_distinct(self.value_names, self.questions)
        return self

    @property
    def keyed(self) -> frozenset[str]:
        """The questions that the item has an answer to."""
        return frozenset(self.keys)

    def drafts(self, stimuli: Sequence[Stimulus], rng: Rng) -> Sequence[Draft]:
        """Return one page for each item."""
        require_attributes("judge", {*self.keys.values(), *self.reveals}, stimuli)
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
