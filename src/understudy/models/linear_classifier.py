"""Linear classifier: a two-class model with weights that the study states."""

import math

import numpy as np
from pydantic import Field

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
        yes = _logistic(inputs @ np.asarray(self.weights) + self.bias)
        return np.column_stack([1 - yes, yes])


def _logistic(scores: Floats) -> Floats:
    # The same digits as scipy.special.expit, whose import takes longer than a check of most studies; np.exp differs in
    # the last one. Beyond 709 the exponential overflows.
    return np.array([1 / (1 + math.exp(min(-score, 709.0))) for score in scores.tolist()])
