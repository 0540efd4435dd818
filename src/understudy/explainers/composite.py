"""Composite: several explanations of one prediction, side by side."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from pydantic import Field

from understudy.registry import create, register
from understudy.roles import Explainer, Floats, Model, Rng
from understudy.schema import ExplainerRef, Explanation, Record, Ref


@register("explainers", "composite")
class Composite(Record):
    """Puts what several methods say together, unchanged, in the order of its parts.

    Hase and Bansal (2020) showed LIME and Anchor, then the last step of Decision Boundary (`n_steps = 1`) and Prototype.
    """

    kind: ClassVar[str] = "several"
    is_costly: ClassVar[bool] = True
    parts: tuple[ExplainerRef, ...] = Field(min_length=2)

    def explain(self, model: Model, inputs: Floats, rng: Rng) -> Sequence[Explanation]:
        """Return the parts of each input together."""
        said = [
            self._said(part, model, inputs, own)
            for part, own in zip(self.parts, rng.spawn(len(self.parts)), strict=True)
        ]
        return [
            Explanation(kind="several", payload={"parts": [one.model_dump(mode="json") for one in together]})
            for together in zip(*said, strict=True)
        ]

    def _said(self, part: Ref, model: Model, inputs: Floats, rng: np.random.Generator) -> Sequence[Explanation]:
        explainer: Explainer = create("explainers", part)
        return explainer.explain(model, inputs, rng)
