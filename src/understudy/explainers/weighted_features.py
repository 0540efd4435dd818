"""Weighted features: how much each feature of a linear model pushed its prediction, exactly."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from pydantic import Field

from understudy.errors import MaterialsError
from understudy.explainers.reading import log_odds
from understudy.registry import register
from understudy.roles import Floats, Model, Rng
from understudy.schema import Explanation, Record


@register("explainers", "weighted_features")
class WeightedFeatures(Record):
    """Attributes a prediction to features by the change it makes to set each one to its mean of zero.

    Differences of log-odds under any model; for a linear one they are weight times value, exactly.
    """

    kind: ClassVar[str] = "attribution"
    features: tuple[str, ...] = Field(min_length=1)

    def explain(self, model: Model, inputs: Floats, rng: Rng) -> Sequence[Explanation]:
        """Return one attribution per input."""
        if inputs.shape[1] != len(self.features):
            raise MaterialsError(
                f"The explanation names {len(self.features)} features, but its inputs have {inputs.shape[1]}. "
                "Name each one, in order."
            )
        whole = log_odds(model.predict(inputs))
        weights = np.zeros(inputs.shape)
        for column in range(inputs.shape[1]):
            without = inputs.copy()
            without[:, column] = 0.0
            weights[:, column] = whole - log_odds(model.predict(without))
        return [
            Explanation(
                kind=self.kind,
                payload={"features": list(self.features), "weights": [round(float(w), 6) for w in row]},
            )
            for row in weights
        ]
