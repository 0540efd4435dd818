"""Composite: several explanations of one prediction, side by side."""

from collections.abc import Sequence
from typing import ClassVar

from pydantic import Field

from understudy.registry import create, register
from understudy.roles import Explained, Explainer, Floats, Ints, Model, Rng
from understudy.schema import ExplainerRef, Json, Record, Several


@register("explainers", "composite")
class Composite(Record):
    """Shows the explanations of several methods together, unchanged, in the order of the parts.

    Hase and Bansal (2020) showed LIME and Anchor, then the last step of Decision Boundary (`n_steps = 1`) and Prototype.
    """

    kinds: ClassVar[frozenset[str]] = frozenset({"several"})
    is_costly: ClassVar[bool] = True
    parts: tuple[ExplainerRef, ...] = Field(min_length=2)

    def explain(self, model: Model, inputs: Floats, targets: Ints | None, rng: Rng) -> Explained:
        """Return the parts of each input together."""
        # Each part has its own random stream, so that adding a part does not change the others.
        explainers: list[Explainer] = [create("explainers", part) for part in self.parts]
        results = [
            explainer.explain(model, inputs, targets, part_rng)
            for explainer, part_rng in zip(explainers, rng.spawn(len(explainers)), strict=True)
        ]
        return Explained(
            [Several(parts=parts) for parts in zip(*(part.explanations for part in results), strict=True)],
            {address: file for part in results for address, file in part.files.items()},
            _merged([part.truths for part in results if part.truths]),
        )


def _merged(truths: Sequence[Sequence[Json]]) -> tuple[Json, ...]:
    """Return what the parts know about each explanation, in one table."""
    tables = zip(*truths, strict=True)
    return tuple(
        {name: value for table in tables_of_item for name, value in table.items()} for tables_of_item in tables
    )
