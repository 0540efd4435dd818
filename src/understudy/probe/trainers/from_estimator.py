"""Trainers made from any estimator with fit and predict_proba."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from understudy.errors import MaterialsError
from understudy.roles import Floats, Ints, Objects


@dataclass(frozen=True)
class FittedEstimator:
    """A fitted classifier as a model with one probability per class."""

    labels: tuple[str, ...]
    estimator: Any

    def predict(self, inputs: Objects) -> Floats:
        """Return the probability of each class, zero for a class it never saw."""
        kind = type(self.estimator).__name__
        try:
            probabilities = np.asarray(self.estimator.predict_proba(_rows(inputs)), dtype=np.float64)
        except (ValueError, IndexError) as error:
            raise MaterialsError(f"The classifier {kind} cannot predict the test objects: {error}") from error
        if probabilities.shape != (len(inputs), len(self.estimator.classes_)) or not np.isfinite(probabilities).all():
            raise MaterialsError(
                f"The classifier {kind} returned {probabilities.shape} values, or some that are not "
                "finite. Its predict_proba must give one probability for each object and class."
            )
        result = np.zeros((len(inputs), len(self.labels)))
        result[:, np.asarray(self.estimator.classes_, dtype=np.int64)] = probabilities
        return result


@dataclass(frozen=True)
class TrainerFrom:
    """Makes a classifier with `make(seed)`, which has fit and predict_proba as in scikit-learn, and fits it."""

    make: Callable[[int], Any]

    def train(self, inputs: Objects, labels: Ints, seed: int) -> FittedEstimator:
        """Return the fitted classifier."""
        estimator = self.make(seed)
        absent = [name for name in ("fit", "predict_proba") if not hasattr(estimator, name)]
        if absent:
            raise MaterialsError(
                f"A trainer of type {type(estimator).__name__} has no {' and no '.join(absent)}. "
                "Give one with fit(inputs, labels) and predict_proba(inputs)."
            )
        try:
            estimator.fit(_rows(inputs), labels)
        except (ValueError, IndexError) as error:
            raise MaterialsError(
                f"The classifier {type(estimator).__name__} cannot be fitted to these objects: {error}"
            ) from error
        return FittedEstimator(tuple(map(str, range(int(labels.max()) + 1))), estimator)


def _rows(inputs: Objects) -> Objects:
    return inputs.reshape(len(inputs), -1)
