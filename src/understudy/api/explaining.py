"""Explanations of single predictions, outside a study."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from understudy.registry import create
from understudy.roles import Explained, Explainer, Model
from understudy.schema import Explanation, Ref
from understudy.schema.notebook import titled_html


@dataclass(frozen=True, repr=False)
class Explanations:
    """What a method says about predictions, one explanation for each input.

    Examples
    --------
    >>> model = Ref(name="linear_classifier", params={"weights": [1.0, -1.0], "labels": ["no", "yes"]})
    >>> method = Ref(name="weighted_features", params={"features": ["income", "debt"]})
    >>> [explanation.kind for explanation in explain(model, method, [[1, 2], [3, 4]])]
    ['attribution', 'attribution']
    """

    explained: Explained
    method: str

    def __iter__(self) -> Iterator[Explanation]:
        """Go through the explanations in the order of the inputs."""
        return iter(self.explained.explanations)

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.explained.explanations)

    def __getitem__(self, number: int) -> Explanation:
        """Return the explanation of one input."""
        return self.explained.explanations[number]

    def __str__(self) -> str:
        """Return one line for each explanation."""
        return "\n".join(f"{number}: {explanation!r}" for number, explanation in enumerate(self))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return titled_html(self.method, *(explanation._repr_html_() for explanation in self))


def explain(
    model: Model | Ref | str, method: Explainer | Ref | str, inputs: npt.ArrayLike, *, seed: int = 0
) -> Explanations:
    """Explain a model's predictions of inputs by a method of the catalogue, such as "lime" or "weighted_features".

    Both can be a name, a name with parameters (`Ref`), or an object of your own that has the method of its role.

    Examples
    --------
    >>> model = Ref(name="linear_classifier", params={"weights": [1.0, -1.0], "labels": ["no", "yes"]})
    >>> method = Ref(name="weighted_features", params={"features": ["income", "debt"]})
    >>> explain(model, method, [[2, 1]])[0].weights
    (2.0, -1.0)
    """
    numbers = np.asarray(inputs, dtype=np.float64)
    explainer: Explainer = create("explainers", _ref(method)) if isinstance(method, str | Ref) else method
    known: Model = create("models", _ref(model)) if isinstance(model, str | Ref) else model
    found = explainer.explain(known, numbers, None, np.random.default_rng(seed))
    return Explanations(found, _ref(method).name if isinstance(method, str | Ref) else type(method).__name__)


def _ref(name: str | Ref) -> Ref:
    return Ref(name=name) if isinstance(name, str) else name
