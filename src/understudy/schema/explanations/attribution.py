"""Attribution: how far each feature pushed the prediction."""

from typing import Literal

from pydantic import model_validator

from understudy.schema.explanations.explanation import Explanation


class Attribution(Explanation):
    """Signed weights of named features, in the order in which they are drawn."""

    kind: Literal["attribution"] = "attribution"
    features: tuple[str, ...]
    weights: tuple[float, ...]
    values: tuple[str, ...] = ()
    """The value of each feature in this case; empty if the item shows it."""
    baseline: float | None = None
    """The evidence without any of the features."""
    total: float | None = None
    even: float | None = None
    """The total at which the model is undecided between two labels, such as 0.5 for probabilities."""
    toward: str | None = None
    """The label that positive weights support."""
    against: str | None = None
    """The label that negative weights support, if there are only two."""

    @model_validator(mode="after")
    def _one_weight_for_each_feature(self) -> "Attribution":
        if len(self.weights) != len(self.features) or len(self.values) not in (0, len(self.features)):
            raise ValueError(
                f"there are {len(self.features)} features, {len(self.weights)} weights and {len(self.values)} values. "
                "Give one weight for each feature, and one value for each or none at all."
            )
        return self
