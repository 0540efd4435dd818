"""What tasks of a single page share, with an item or without."""

from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal

from understudy.errors import MaterialsError
from understudy.roles import Rng
from understudy.schema import Answers, Choice, Display, Draft, Json, Question, Record, Stimulus, TaskParams


class OnePage(Record):
    """Shows one page; each task says what it is shown, and may ask something."""

    version: ClassVar[str] = "1"
    Params: ClassVar[type[TaskParams]]
    Response: ClassVar[type[Record]] = Answers
    typical: ClassVar[Json] = {}
    """Question id -> the usual answer."""

    @property
    def questions(self) -> tuple[Question, ...]:
        """Nothing is asked."""
        return ()

    def drafts(self, stimuli: Sequence[Stimulus], rng: Rng) -> Sequence[Draft]:
        """Return the one page."""
        # Params leave out the fields that the page is not shown, and have a default for those that are absent.
        params = self.Params.model_validate({name: value for name, value in self if value is not None})
        return [Draft(params=params, asks=self.questions, typical=self.typical)]


class FormParams(TaskParams):
    """The text above the questions."""

    text: str = ""


class FormTask(Record):
    """One page with a text and questions that the study writes."""

    version: ClassVar[str] = "1"
    Params: ClassVar[type[TaskParams]] = FormParams
    Response: ClassVar[type[Record]] = Answers
    text: str = ""


class StandardForm(OnePage):
    """Asks the same questions in every study, in its language."""

    Params: ClassVar[type[TaskParams]] = FormParams
    language: Literal["en", "de"] = "en"
    """The language of the questions; give that of the study."""


# What pages about items have in common: what is shown of an item, the right answers, and names in place of values.


class ItemParams(TaskParams):
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


class ItemTask(Record):
    """Shows one item at a time; each task says what it asks about the item."""

    version: ClassVar[str] = "1"
    Params: ClassVar[type[TaskParams]]
    Response: ClassVar[type[Record]] = Answers
    shows_explanation: ClassVar[bool] = True
    text: str = ""
    keys: dict[str, str] = {}
    """Question id -> the item's attribute that holds the right answer, such as prediction. Stays on the server."""
    reveals: tuple[str, ...] = ()
    """Attributes shown openly with the item, such as label."""
    names: dict[str, str] = {}
    """Revealed attribute -> its name on the page; by default its own name in words."""
    value_names: dict[str, str] = {}
    """Value -> what people read for it in choices, in what is revealed and in explanations. Answers keep the value."""
    display: Display = Display()
    """How explanations are drawn."""

    @property
    def keyed(self) -> frozenset[str]:
        """The questions that the item has an answer to."""
        return frozenset(self.keys)

    def require_names(self, questions: Sequence[Question]) -> None:
        """Refuse keys and names that do not belong to what is asked and revealed."""
        require_asked(self.keys, questions)
        require_revealed(self.names, self.reveals)
        require_distinct(self.value_names, questions)

    def attributes(self) -> set[str]:
        """Return the attributes that items need."""
        return {*self.keys.values(), *self.reveals}


def require_asked(keys: Mapping[str, str], questions: Sequence[Question]) -> None:
    """Refuse a key to a question that is not asked."""
    asked = {question.question_id for question in questions}
    for question_id in keys.keys() - asked:
        raise ValueError(
            f"the key is for {question_id!r}, which is not asked. Asked are: {', '.join(sorted(asked)) or 'none'}."
        )


def require_revealed(names: Mapping[str, str], reveals: Sequence[str]) -> None:
    """Refuse a name for an attribute that stays hidden."""
    unseen = sorted(names.keys() - set(reveals))
    if unseen:
        raise ValueError(f"{unseen[0]!r} has a shown name, but is not revealed. Reveal it, or leave the name out.")


def require_distinct(value_names: Mapping[str, str], questions: Sequence[Question]) -> None:
    """Refuse names that no option has, and names that two values share."""
    options = [question.options for question in questions if isinstance(question, Choice)]
    unknown = sorted(value_names.keys() - {value for values in options for value in values}) if options else []
    if unknown:
        raise ValueError(
            f"{unknown[0]!r} has a shown name, but is not an option. Options are: {', '.join(map(', '.join, options))}."
        )
    for values in (*options, tuple(value_names)):
        read = [value_names.get(value, value) for value in values]
        twice = sorted({value for value in read if read.count(value) > 1})
        if twice:
            raise ValueError(f"two values are shown as {twice[0]!r}, so nobody could tell them apart. Rename one.")


def require_attributes(task: str, wanted: set[str], stimuli: Sequence[Stimulus]) -> None:
    """Refuse items without an attribute that the task needs."""
    for stimulus in stimuli:
        absent = sorted(wanted - stimulus.truth.keys())
        if absent:
            raise MaterialsError(
                f"A {task} task needs the attribute {absent[0]!r}, which its items do not have. "
                f"They have: {', '.join(sorted(stimulus.truth)) or 'none'}."
            )


def answers_of(stimulus: Stimulus, keys: Mapping[str, str], questions: Sequence[Question]) -> Json:
    """Return the right answers about an item; refuse one that cannot be given."""
    asked = {question.question_id: question for question in questions}
    answers: Json = {}
    for question_id, attribute in keys.items():
        answers[question_id] = stimulus.truth[attribute]
        if not asked[question_id].accepts(answers[question_id]):
            raise MaterialsError(
                f"An item's {attribute!r} is {answers[question_id]!r}, which is not a possible answer to "
                f"{question_id!r}, so nobody could be right. Correct the question or the items."
            )
    return answers


def reading_order(content: Json) -> tuple[str, ...]:
    """Return the order of the fields of an item, empty if it is alphabetical."""
    original = content.get("original")
    fields = list(original if isinstance(original, dict) else content)
    # Files store fields alphabetically, so only another order has to be sent.
    return () if fields == sorted(fields) else tuple(fields)
