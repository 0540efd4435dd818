"""Grounds: the numbers an explanation rests on beside the explained model, so that a change of them is noticed."""

from collections.abc import Iterator

from understudy.explainers.background import background_of
from understudy.registry import create
from understudy.roles import Explainer, Floats, Model
from understudy.schema import Ref


def grounds_of(explainer: Explainer, inputs: Floats) -> Iterator[Floats]:
    """Yield the background an explainer draws from, what a model of its own answers, and the grounds of its parts."""
    background, model = getattr(explainer, "background", None), getattr(explainer, "model", None)
    if isinstance(background, Ref):
        n_rows, seed = getattr(explainer, "n_background", 1), getattr(explainer, "background_seed", 0)
        yield background_of(background, n_rows, seed).inputs
    if isinstance(model, Ref):
        own: Model = create("models", model)
        yield own.predict(inputs)
    for part in getattr(explainer, "parts", ()):
        yield from grounds_of(create("explainers", part), inputs)
