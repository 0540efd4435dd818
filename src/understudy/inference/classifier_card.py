"""The card of a classifier: how to read its inputs and outputs, and where it came from."""

from typing import Literal

from pydantic import Field, model_validator

from understudy.schema import Json, Record


class ClassifierCard(Record):
    """What is known about a classifier besides its weights."""

    format: Literal[1] = 1
    name: str
    takes: Literal["codes", "tokens"]
    """Rows of category codes, or rows of token ids that end in padding of -1."""
    labels: tuple[str, ...] = Field(min_length=2)
    """In the order of the probabilities."""
    features: tuple[str, ...] = ()
    values: tuple[tuple[str, ...], ...] = ()
    """What each code of each feature means, for a classifier of codes."""
    words: tuple[str, ...] = ()
    """What each token id means, for a classifier of tokens."""
    prototypes: tuple[tuple[int, ...], ...] = ()
    """The training cases that serve as prototypes, as codes or token ids."""
    prototype_labels: tuple[str, ...] = ()
    provenance: Json = {}
    """Recipe, split, seed, software, data, passes, and accuracies."""

    @model_validator(mode="after")
    def _parts_fit(self) -> "ClassifierCard":
        if self.takes == "codes" and (not self.features or len(self.features) != len(self.values)):
            raise ValueError(f"{self.name!r} takes codes, so it needs features and the values of each")
        if self.takes == "tokens" and not self.words:
            raise ValueError(f"{self.name!r} takes tokens, so it needs words")
        if len(self.prototypes) != len(self.prototype_labels):
            raise ValueError(f"{self.name!r} needs one label for each prototype")
        return self
