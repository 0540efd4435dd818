"""Linear classifier: a two-class model whose reasons are its weights."""

import numpy as np
from pydantic import Field

from understudy.registry import register
from understudy.roles import Floats
from understudy.schema import Record


@register("models", "linear_classifier")
class LinearClassifier(Record):
    """Predicts by a weighted sum; weights are stated, not learned."""

    weights: tuple[float, ...] = Field(min_length=1)
    bias: float = 0.0
    labels: tuple[str, str] = ("no", "yes")
    features: tuple[str, ...] = ()

    def predict(self, inputs: Floats) -> Floats:
        """Return the probabilities of the two labels."""
        yes = 1 / (1 + np.exp(-(inputs @ np.asarray(self.weights) + self.bias)))
        return np.column_stack([1 - yes, yes])
