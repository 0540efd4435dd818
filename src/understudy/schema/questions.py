"""Questions: every kind of answer a person can give, and what counts as a valid one."""

from math import isfinite
from typing import Annotated, Literal, TypeAlias

from pydantic import ConfigDict, Field, JsonValue, field_validator, model_validator
from typing_extensions import TypeAliasType

from understudy.schema.model_cards import Dial, code_fault
from understudy.schema.record import Name, Record


def _all_different(words: tuple[str, ...]) -> tuple[str, ...]:
    twice = sorted({word for word in words if words.count(word) > 1})
    if twice:
        raise ValueError(f"{', '.join(map(repr, twice))} appears more than once; answers could not tell them apart.")
    return words


class _Asked(Record):
    question_id: Name
    prompt: str
    is_required: bool = True


class Choice(_Asked):
    """One of several options; the answer is the option's text."""

    kind: Literal["choice"] = "choice"
    options: tuple[str, ...] = Field(min_length=2)
    is_shuffled: bool = False

    _different = field_validator("options")(_all_different)

    def accepts(self, value: JsonValue) -> bool:
        """Tell whether a value is one of the options."""
        return isinstance(value, str) and value in self.options


class MultipleChoice(_Asked):
    """Any number of several options; the answer is a list of option texts."""

    kind: Literal["multiple_choice"] = "multiple_choice"
    options: tuple[str, ...] = Field(min_length=2)
    min_chosen: int = Field(default=0, ge=0, le=1000)

    _different = field_validator("options")(_all_different)

    @model_validator(mode="after")
    def _enough_options(self) -> "MultipleChoice":
        if self.min_chosen > len(self.options):
            raise ValueError(f"min_chosen is {self.min_chosen}, but there are {len(self.options)} options. Lower it.")
        return self

    def accepts(self, value: JsonValue) -> bool:
        """Tell whether a value lists enough options, each once and in the order they are declared."""
        return (
            isinstance(value, list)
            and len(value) >= self.min_chosen
            and value == [option for option in self.options if option in value]
        )


class Rating(_Asked):
    """A point on a labelled scale (Likert, SEQ, confidence); the answer counts from 1."""

    kind: Literal["rating"] = "rating"
    points: int = Field(default=7, ge=2, le=101)
    low_label: str = ""
    high_label: str = ""
    labels: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _label_for_each_point(self) -> "Rating":
        if self.labels and len(self.labels) != self.points:
            raise ValueError(
                f"there are {len(self.labels)} labels for {self.points} points. Give one for each point, or use "
                "low_label and high_label."
            )
        return self

    def accepts(self, value: JsonValue) -> bool:
        """Tell whether a value is a whole number of the scale."""
        return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= self.points


class Matrix(_Asked):
    """Several statements on one scale; the answer maps each row to a point, counted from 1."""

    kind: Literal["matrix"] = "matrix"
    rows: tuple[str, ...] = Field(min_length=1)
    points: int = Field(default=5, ge=2, le=101)
    low_label: str = ""
    high_label: str = ""

    _different = field_validator("rows")(_all_different)

    def accepts(self, value: JsonValue) -> bool:
        """Tell whether a value rates every row and nothing else."""
        return (
            isinstance(value, dict)
            and set(value) == set(self.rows)
            and all(isinstance(v, int) and not isinstance(v, bool) and 1 <= v <= self.points for v in value.values())
        )


class Slider(_Asked):
    """A position between two ends."""

    kind: Literal["slider"] = "slider"
    low: float = 0.0
    high: float = 100.0
    step: float | None = Field(default=None, gt=0)
    low_label: str = ""
    high_label: str = ""

    @model_validator(mode="after")
    def _ends_in_order(self) -> "Slider":
        _require_order(self.low, self.high)
        return self

    def accepts(self, value: JsonValue) -> bool:
        """Tell whether a value lies between the ends."""
        return _is_number(value) and self.low <= value <= self.high  # type: ignore[operator]


class Number(_Asked):
    """A typed number, with optional bounds and unit."""

    kind: Literal["number"] = "number"
    low: float | None = None
    high: float | None = None
    is_whole: bool = False
    unit: str = ""

    @model_validator(mode="after")
    def _bounds_in_order(self) -> "Number":
        if self.low is not None and self.high is not None:
            _require_order(self.low, self.high)
        return self

    def accepts(self, value: JsonValue) -> bool:
        """Tell whether a value is a number within the bounds."""
        if not _is_number(value) or (self.is_whole and value != int(value)):  # type: ignore[arg-type]
            return False
        return (self.low is None or value >= self.low) and (self.high is None or value <= self.high)  # type: ignore[operator]


class FreeText(_Asked):
    """Free text."""

    kind: Literal["text"] = "text"
    min_chars: int = Field(default=0, ge=0, le=1_000_000)
    max_chars: int = Field(default=4000, ge=1, le=1_000_000)

    @model_validator(mode="after")
    def _room_enough(self) -> "FreeText":
        if self.min_chars > self.max_chars:
            raise ValueError(f"min_chars is {self.min_chars}, but max_chars is {self.max_chars}. Raise max_chars.")
        return self

    def accepts(self, value: JsonValue) -> bool:
        """Tell whether a value is text of an allowed length, without leading and trailing spaces."""
        return isinstance(value, str) and self.min_chars <= len(value.strip()) and len(value) <= self.max_chars


class Ranking(_Asked):
    """All options in order of preference, best first."""

    kind: Literal["ranking"] = "ranking"
    options: tuple[str, ...] = Field(min_length=2)

    _different = field_validator("options")(_all_different)

    def accepts(self, value: JsonValue) -> bool:
        """Tell whether a value orders all options."""
        is_words = isinstance(value, list) and all(isinstance(option, str) for option in value)
        return is_words and sorted(map(str, value)) == sorted(self.options)  # type: ignore[arg-type]


class Dials(_Asked):
    """The final position of the dials of a live model, and whether the target was matched or skipped."""

    kind: Literal["dials"] = "dials"
    dials: tuple[Dial, ...] = Field(min_length=1)

    def accepts(self, value: JsonValue) -> bool:
        """Tell whether a value is a possible code with an outcome."""
        return (
            isinstance(value, dict)
            and set(value) == {"code", "outcome"}
            and value["outcome"] in ("solved", "skipped")
            and code_fault(self.dials, value["code"]) is None
        )


Question: TypeAlias = Annotated[
    Choice | MultipleChoice | Rating | Matrix | Slider | Number | FreeText | Ranking | Dials,
    Field(discriminator="kind"),
]


def _is_number(value: JsonValue) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


def _require_order(low: float, high: float) -> None:
    if low >= high:
        raise ValueError(f"low is {low:g} and high is {high:g}. Make low the smaller one.")


# Responses: what the page of a task sends back, by question.


class DialsAnswer(Record):
    """The final position of the dials, and whether the target was matched or skipped."""

    code: tuple[float, ...]
    outcome: Literal["solved", "skipped"]


Answer = TypeAliasType(
    "Answer", str | int | float | tuple[str, ...] | dict[str, int] | DialsAnswer | None
)  # fmt: skip
"""An answer to a question of any kind: an option or words, a number, several options or an order, a point for each row,
dials; nothing for an optional question that was left out."""


class Answers(Record):
    """Question id -> answer, for tasks whose questions are written in the study."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, Answer]
