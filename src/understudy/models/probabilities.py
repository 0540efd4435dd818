"""Probabilities: check what a user's model returns."""

from typing import Any, Literal, TypeAlias

import numpy as np

from understudy.deferred.scipy import special
from understudy.errors import MaterialsError
from understudy.roles import Floats

Outputs: TypeAlias = Literal["probabilities", "logits"]
TOLERANCE = 1e-3
"""How far the sum of a row may be from one, because float16 models round."""


def checked_probabilities(
    returned: Any, n_rows: int, *, name: str, labels: tuple[str, ...], outputs: Outputs
) -> Floats:
    """Return rows of probabilities, or say what a model returned instead."""
    try:
        values = np.asarray(returned, dtype=np.float64)
    except (TypeError, ValueError):
        raise MaterialsError(
            f"Model {name!r} returned {type(returned).__name__!r}, which is not a table of numbers. "
            "Return one row of probabilities for each input."
        ) from None
    _check_shape(values, n_rows, name, labels)
    if not np.isfinite(values).all():
        n_faulty = int((~np.isfinite(values)).any(axis=1).sum())
        raise MaterialsError(
            f"Model {name!r} returned values that are not finite for {n_faulty} of {n_rows} inputs. "
            "Fix the model, or leave those inputs out."
        )
    if outputs == "logits":
        return np.asarray(special.softmax(values, axis=1))
    if n_rows and (values.min() < -TOLERANCE or np.abs(values.sum(axis=1) - 1).max() > TOLERANCE):
        raise MaterialsError(
            f"Model {name!r} returned values from {values.min():.3g} to {values.max():.3g} whose rows do not sum to one, "
            "so they look like logits. Put a softmax after them, or say outputs = 'logits'."
        )
    # Within the tolerance, so that later stages can rely on rows that sum to one.
    clipped = np.clip(values, 0, 1)
    return np.asarray(clipped / np.maximum(clipped.sum(axis=1, keepdims=True), 1e-12))


def _check_shape(values: Floats, n_rows: int, name: str, labels: tuple[str, ...]) -> None:
    if values.ndim == 1 or (values.ndim == 2 and values.shape[1] == 1):
        raise MaterialsError(
            f"Model {name!r} returned one number for each input, so it knows one class only. "
            "Return one probability for each label; a model that was fitted to one class must be fitted again."
        )
    if values.shape != (n_rows, len(labels)):
        raise MaterialsError(
            f"Model {name!r} returned the shape {values.shape} for {n_rows} inputs and {len(labels)} labels "
            f"({', '.join(labels)}). Return one row for each input and one column for each label."
        )
