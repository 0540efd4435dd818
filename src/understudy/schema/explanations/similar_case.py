"""Similar case: the case that the model finds most similar, and what makes it similar."""

from typing import Literal

from pydantic import model_validator

from understudy.schema.explanations.explanation import Explanation
from understudy.schema.record import Json, Record


class Importance(Record):
    """Signed weights of features or of tokens."""

    features: tuple[str, ...] = ()
    tokens: tuple[str, ...] = ()
    weights: tuple[float, ...]
    values: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _one_weight_for_each_name(self) -> "Importance":
        if len(self.weights) != len(self.features or self.tokens):
            raise ValueError(
                f"there are {len(self.features or self.tokens)} names and {len(self.weights)} weights. "
                "Give one weight for each feature or token."
            )
        return self


class SimilarCase(Explanation):
    """A case that the model knows, next to the explained one."""

    kind: Literal["similar_case"] = "similar_case"
    case: Json
    input: Json
    label: str
    similarity: float | None = None
    importance: Importance
    toward: str | None = None
    """The label that positive weights support."""
    against: str | None = None
    """The label that negative weights support, if there are only two."""

    @property
    def named_classes(self) -> tuple[str, ...]:
        """The labels that weights support."""
        return tuple(label for label in (self.toward, self.against) if label is not None)
