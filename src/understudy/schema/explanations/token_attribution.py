"""Token attribution: how far each word pushed the prediction."""

from typing import Literal

from pydantic import model_validator

from understudy.schema.explanations.explanation import Explanation


class TokenAttribution(Explanation):
    """Signed weights of the words of a text, zero for a word that is not marked."""

    kind: Literal["token_attribution"] = "token_attribution"
    tokens: tuple[str, ...]
    weights: tuple[float, ...]
    baseline: float | None = None
    """The evidence without any of the words."""
    total: float | None = None
    even: float | None = None
    """The total at which the model is undecided between two labels, such as 0.5 for probabilities."""
    toward: str | None = None
    """The label that positive weights support."""
    against: str | None = None
    """The label that negative weights support, if there are only two."""

    @model_validator(mode="after")
    def _one_weight_for_each_token(self) -> "TokenAttribution":
        if len(self.weights) != len(self.tokens):
            raise ValueError(
                f"there are {len(self.tokens)} tokens and {len(self.weights)} weights. Give one weight for each token."
            )
        return self
