"""Scale: a published questionnaire scale, as a small file next to the study brings it."""

from typing import Literal

from pydantic import Field, model_validator

from understudy.schema.questions import Matrix
from understudy.schema.record import Name, Record


class ScaleItem(Record):
    """One statement of a scale."""

    text: str = Field(min_length=1)
    is_reversed: bool = False
    """Whether agreement means less of what the scale measures."""


class ScaleSummary(Record):
    """How people scored on a scale, and how far its items agree."""

    measure: str
    n_items: int
    n_people: int
    points: int
    """How many points each item has."""
    score: Literal["mean", "sum"]
    source: str = ""
    mean: float | None = None
    sd: float | None = None
    alpha: float | None = None
    """Cronbach's alpha; None with fewer than two items or people, or when nobody differs."""

    @property
    def sentence(self) -> str:
        """The reliability as one sentence."""
        about = f"over {self.n_items} items and {self.n_people} people"
        if self.alpha is None:
            return f"Reliability of {self.measure!r}: not known {about}; at least two people who differ are needed."
        return f"Reliability of {self.measure!r}: Cronbach's alpha {self.alpha:.2f} {about}."


class PublishedScale(Record):
    """Items, anchors and scoring of a scale."""

    name: Name
    """The question that its page asks."""
    title: str = ""
    source: str = ""
    """Where it was published, for the codebook."""
    prompt: str
    """What is asked about each item."""
    points: int = Field(ge=2, le=101)
    low_label: str
    high_label: str
    items: tuple[ScaleItem, ...] = Field(min_length=2)
    score: Literal["mean", "sum"] = "mean"

    @model_validator(mode="after")
    def _items_differ(self) -> "PublishedScale":
        texts = [item.text for item in self.items]
        twice = [text for text in texts if texts.count(text) > 1]
        if twice:
            raise ValueError(f"the item {twice[0]!r} is listed twice. Give each item once.")
        return self

    @property
    def question(self) -> Matrix:
        """All items on one page."""
        return Matrix(
            question_id=self.name,
            prompt=self.prompt,
            rows=tuple(item.text for item in self.items),
            points=self.points,
            low_label=self.low_label,
            high_label=self.high_label,
        )

    @property
    def reversed_rows(self) -> tuple[str, ...]:
        """The items that count the other way round."""
        return tuple(item.text for item in self.items if item.is_reversed)
