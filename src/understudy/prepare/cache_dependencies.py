"""Cache dependencies: the numbers an explanation depends on besides the explained model, so that a change is noticed."""

from collections.abc import Iterator

import numpy as np

from understudy.registry import create
from understudy.roles import Dataset, Explainer, Floats, HasBackground, HasOwnModel, HasParts, Model


def cache_dependencies(explainer: Explainer, inputs: Floats) -> Iterator[Floats]:
    """Yield the background of an explainer, the answers of its own model, and the same for its parts."""
    if isinstance(explainer, HasBackground):
        dataset: Dataset = create("datasets", explainer.background)
        drawn = dataset.draw(explainer.n_background, np.random.default_rng(explainer.background_seed)).inputs
        yield np.zeros(0) if drawn is None else np.asarray(drawn, dtype=np.float64)
    if isinstance(explainer, HasOwnModel) and explainer.model is not None:
        model: Model = create("models", explainer.model)
        yield model.predict(inputs)
    for part in explainer.parts if isinstance(explainer, HasParts) else ():
        yield from cache_dependencies(create("explainers", part), inputs)
