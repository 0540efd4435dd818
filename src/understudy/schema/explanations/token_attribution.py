"""Token attribution: how far each word pushed the prediction."""

from typing import Literal

from pydantic import model_validator

from understudy.schema.explanations.explanation import Explanation
from understudy.schema.explanations.weighed_evidence import WeighedEvidence


class TokenAttribution(WeighedEvidence, Explanation):
    """Signed weights of the words of a text, zero for a word that is not marked."""

    kind: Literal["token_attribution"] = "token_attribution"
    tokens: tuple[str, ...]
    weights: tuple[float, ...]

    @model_validator(mode="after")
    def _one_weight_for_each_token(self) -> "TokenAttribution":
        if len(self.weights) != len(self.tokens):
            raise ValueError(
                f"there are {len(self.tokens)} tokens and {len(self.weights)} weights. Give one weight for each token."
            )
        return self
