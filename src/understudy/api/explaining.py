"""Explanations of single predictions, outside a study, and verdicts on concepts."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, TypeAlias

import numpy as np
import numpy.typing as npt
from pydantic import NonNegativeInt

from understudy.errors import ArgumentError
from understudy.prepare.candidates import targets_of_answers
from understudy.probe.result_files import results_from_files
from understudy.probe.results import FourResults
from understudy.probe.verdicts import probe as verdicts_of
from understudy.registry import create
from understudy.roles import Explained, Explainer, Floats, Model
from understudy.schema import Explanation, Ref, Verdicts
from understudy.schema.readable import titled_html

_ADVICE = "Give one row of numbers for each case, such as [[0.5, 1.2]], or an array with cases first."


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
        return "\n".join(f"{number}: {explanation}" for number, explanation in enumerate(self))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return titled_html(self.method, *(explanation._repr_html_() for explanation in self))


ModelLike: TypeAlias = Annotated[
    Model | Ref | str, "a name of the catalogue, a Ref, or an object with `labels` and `predict`"
]
MethodLike: TypeAlias = Annotated[Explainer | Ref | str, "a name of the catalogue, a Ref, or an object with `explain`"]


def explain(model: ModelLike, method: MethodLike, inputs: npt.ArrayLike, *, seed: NonNegativeInt = 0) -> Explanations:
    """Explain a model's predictions of inputs by a method of the catalogue, such as "lime" or "weighted_features".

    Both can be a name, a name with parameters (`Ref`), or your own object that has the method of its role. With three or more
    labels, each prediction is explained for the label that the model answers, unless the method names one (`toward`).

    Examples
    --------
    >>> model = Ref(name="linear_classifier", params={"weights": [1.0, -1.0], "labels": ["no", "yes"]})
    >>> method = Ref(name="weighted_features", params={"features": ["income", "debt"]})
    >>> explain(model, method, [[2, 1]])[0].weights
    (2.0, -1.0)
    """
    known: Model = create("models", _ref(model)) if isinstance(model, str | Ref) else model
    explainer: Explainer = create("explainers", _ref(method)) if isinstance(method, str | Ref) else method
    numbers = _numbers(inputs)
    answers = (
        [known.labels[column] for column in known.predict(numbers).argmax(axis=1)] if len(known.labels) > 2 else []
    )
    wanted = [target for target in targets_of_answers(explainer, known.labels, answers, numbers) if target is not None]
    targets = np.array(wanted, dtype=np.int64) if wanted else None
    found = explainer.explain(known, numbers, targets, np.random.default_rng(seed))
    return Explanations(found, _ref(method).name if isinstance(method, str | Ref) else type(method).__name__)


def _numbers(inputs: npt.ArrayLike) -> Floats:
    try:
        numbers = np.asarray(inputs, dtype=np.float64)
    except (TypeError, ValueError):
        raise ArgumentError([f"The inputs are not numbers, or not of one length. {_ADVICE}"]) from None
    if numbers.ndim < 2:
        raise ArgumentError([f"The inputs have the shape {numbers.shape}, which is not a list of cases. {_ADVICE}"])
    return numbers


def _ref(name: str | Ref) -> Ref:
    return Ref(name=name) if isinstance(name, str) else name


# Concept tests: what extra information does to a model, without people.


def probe(*results: str | Path | FourResults, alpha: float = 0.05, concept: str = "the concept") -> Verdicts:
    """Judge the results of two models on two data sets: a folder, one or four tables, or results in memory.

    The package `understudy.probe` has more: models of your own (`probe_models`), corrections and groups.

    Examples
    --------
    >>> probe("results", concept="rotation").hypotheses  # doctest: +SKIP
    """
    paths = [Path(result) for result in results if not isinstance(result, FourResults)]
    runs = [result for result in results if isinstance(result, FourResults)]
    return verdicts_of([*runs, *(results_from_files(paths) if paths else ())], alpha=alpha, concept=concept)
