"""Weighted features: the exact contribution of each feature to a linear model's prediction."""

from typing import ClassVar

import numpy as np
from pydantic import Field

from understudy.errors import MaterialsError
from understudy.explainers.inputs import columns_of, log_odds, log_odds_of, other_label
from understudy.registry import register
from understudy.roles import Explained, Floats, Ints, Model, Rng
from understudy.schema import Attribution, Record


@register("explainers", "weighted_features")
class WeightedFeatures(Record):
    """Attributes a prediction to features by how it changes when each is set to its mean of zero.

    Differences of log-odds under any model; for a linear one they are weight times value, exactly.
    """

    kinds: ClassVar[frozenset[str]] = frozenset({"attribution"})
    features: tuple[str, ...] = Field(min_length=1)

    def explain(self, model: Model, inputs: Floats, targets: Ints | None, rng: Rng) -> Explained:
        """Return one attribution per input."""
        if inputs.shape[1] != len(self.features):
            raise MaterialsError(
                f"The explanation names {len(self.features)} features, but its inputs have {inputs.shape[1]}. "
                "Name each one, in order."
            )
        # Of two labels, the log-odds of the second against the first; of more, one label against all others.
        is_pair = targets is None and len(model.labels) <= 2
        columns = None if is_pair else columns_of(model, None, targets, n=len(inputs))

        def evidence(rows: Floats) -> Floats:
            predicted = model.predict(rows)
            return log_odds(predicted) if columns is None else log_odds_of(predicted, columns)

        whole = evidence(inputs)
        weights = np.zeros(inputs.shape)
        # One column at a time for all inputs at once, so a model is asked as often as there are features.
        for column in range(inputs.shape[1]):
            without = inputs.copy()
            without[:, column] = 0.0
            weights[:, column] = whole - evidence(without)
        named = columns if columns is not None else [1 if len(model.labels) == 2 else None] * len(inputs)
        return Explained([self._of(model, row, column) for row, column in zip(weights, named, strict=True)])

    def _of(self, model: Model, weights: Floats, column: int | None) -> Attribution:
        return Attribution(
            features=self.features,
            weights=tuple(round(float(weight), 6) for weight in weights),
            toward=None if column is None else model.labels[column],
            against=None if column is None else other_label(model, column),
        )
