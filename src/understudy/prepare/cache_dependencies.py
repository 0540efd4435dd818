"""Grounds: the numbers an explanation rests on beside the explained model, so that a change of them is noticed."""

from collections.abc import Iterator

import numpy as np

from understudy.registry import create
from understudy.roles import Dataset, Explainer, Floats, Model
from understudy.schema import Ref


def cache_dependencies(explainer: Explainer, inputs: Floats) -> Iterator[Floats]:
    """Yield the background an explainer draws from, what a model of its own answers, and the grounds of its parts."""
    background, model = getattr(explainer, "background", None), getattr(explainer, "model", None)
    if isinstance(background, Ref):
        n_rows, seed = getattr(explainer, "n_background", 1), getattr(explainer, "background_seed", 0)
        dataset: Dataset = create("datasets", background)
        drawn = dataset.draw(n_rows, np.random.default_rng(seed)).inputs
        yield np.zeros(0) if drawn is None else drawn
    if isinstance(model, Ref):
        own: Model = create("models", model)
        yield own.predict(inputs)
    for part in getattr(explainer, "parts", ()):
        yield from cache_dependencies(create("explainers", part), inputs)
