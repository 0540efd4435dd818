"""Linear classifier: a two-class model with weights that the study states."""

import numpy as np
from pydantic import Field
from scipy.special import expit

from understudy.errors import MaterialsError
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
        if inputs.shape[1] != len(self.weights):
            raise MaterialsError(
                f"The linear classifier has {len(self.weights)} weights, but its inputs have {inputs.shape[1]} features. "
                "Give one weight for each feature."
            )
        yes = expit(inputs @ np.asarray(self.weights) + self.bias)
        return np.column_stack([1 - yes, yes])
