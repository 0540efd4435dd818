"""Attribution: how far each feature pushed the prediction."""

from typing import Literal

from pydantic import model_validator

from understudy.schema.explanations.explanation import Explanation
from understudy.schema.explanations.weighed_evidence import WeighedEvidence


class Attribution(WeighedEvidence, Explanation):
    """Signed weights of named features, in the order in which they are drawn."""

    kind: Literal["attribution"] = "attribution"
    features: tuple[str, ...]
    weights: tuple[float, ...]
    values: tuple[str, ...] = ()
    """The value of each feature in this case; empty if the item shows it."""

    @model_validator(mode="after")
    def _one_weight_for_each_feature(self) -> "Attribution":
        if len(self.weights) != len(self.features) or len(self.values) not in (0, len(self.features)):
            raise ValueError(
                f"there are {len(self.features)} features, {len(self.weights)} weights and {len(self.values)} values. "
                "Give one weight for each feature, and one value for each or none at all."
            )
        return self
