"""Judge: an item, what is revealed about it, its explanation, and questions about it."""

from collections.abc import Sequence
from typing import ClassVar

from pydantic import model_validator

from understudy.errors import MaterialsError
from understudy.registry import register
from understudy.roles import Rng
from understudy.schema import Answers, Choice, Display, Draft, Json, Question, Record, Stimulus, TaskParams


class JudgeParams(TaskParams):
    """An item and what is revealed about it."""

    text: str = ""
    content: Json = {}
    revealed: Json = {}
    names: dict[str, str] = {}
    """Revealed attribute -> its name on the page; by default its own name in words."""
    value_names: dict[str, str] = {}
    """Value -> what people read for it."""
    order: tuple[str, ...] = ()
    """The reading order of the fields, if it is not alphabetical; files store them alphabetically."""
    display: Display = Display()


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
    def _keys_fit(self) -> "Judge":
        asked = {question.question_id for question in self.questions}
        for question_id in self.keys.keys() - asked:
            raise ValueError(
                f"the key is for {question_id!r}, which is not asked. Asked are: {', '.join(sorted(asked)) or 'none'}."
            )
        unseen = sorted(self.names.keys() - set(self.reveals))
        if unseen:
            raise ValueError(f"{unseen[0]!r} has a shown name, but is not revealed. Reveal it, or leave the name out.")
        return self

    @model_validator(mode="after")
    def _value_names_fit(self) -> "Judge":
        options = [question.options for question in self.questions if isinstance(question, Choice)]
        unknown = sorted(self.value_names.keys() - {value for values in options for value in values}) if options else []
        if unknown:
            raise ValueError(
                f"{unknown[0]!r} has a shown name, but is not an option. Options are: {', '.join(map(', '.join, options))}."
            )
        for values in (*options, tuple(self.value_names)):
            read = [self.value_names.get(value, value) for value in values]
            twice = sorted({value for value in read if read.count(value) > 1})
            if twice:
                raise ValueError(f"two values are shown as {twice[0]!r}, so nobody could tell them apart. Rename one.")
        return self

    @property
    def keyed(self) -> frozenset[str]:
        """The questions that the item has an answer to."""
        return frozenset(self.keys)

    def drafts(self, stimuli: Sequence[Stimulus], rng: Rng) -> Sequence[Draft]:
        """Return one page for each item."""
        wanted = {*self.keys.values(), *self.reveals}
        for stimulus in stimuli:
            absent = sorted(wanted - stimulus.truth.keys())
            if absent:
                raise MaterialsError(
                    f"A judge task needs the attribute {absent[0]!r}, which its items do not have. "
                    f"They have: {', '.join(sorted(stimulus.truth)) or 'none'}."
                )
        self._check_keys(stimuli)
        return [
            Draft(
                params=JudgeParams(
                    text=self.text,
                    content=stimulus.content,
                    revealed={name: stimulus.truth[name] for name in self.reveals},
                    names=self.names,
                    value_names=self.value_names,
                    order=_reading_order(stimulus.content),
                    display=self.display,
                ),
                asks=self.questions,
                answers={question_id: stimulus.truth[attribute] for question_id, attribute in self.keys.items()},
            )
            for stimulus in stimuli
        ]

    def _check_keys(self, stimuli: Sequence[Stimulus]) -> None:
        asked = {question.question_id: question for question in self.questions}
        for question_id, attribute in self.keys.items():
            for stimulus in stimuli:
                if not asked[question_id].accepts(stimulus.truth[attribute]):
                    raise MaterialsError(
                        f"An item's {attribute!r} is {stimulus.truth[attribute]!r}, which is not a possible answer to "
                        f"{question_id!r}, so nobody could be right. Correct the question or the items."
                    )


def _reading_order(content: Json) -> tuple[str, ...]:
    original = content.get("original")
    fields = list(original if isinstance(original, dict) else content)
    # Files store fields alphabetically, so only another order has to be sent.
    return () if fields == sorted(fields) else tuple(fields)
