"""LIME: the few features with which a linear model imitates the model near one input."""

import re
from collections.abc import Sequence
from math import sqrt
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from pydantic import Field

from understudy.explainers.inputs import (
    Background,
    answers_of_texts,
    background_of,
    columns_of,
    distinct_rows,
    lengths_of,
    other_label,
    require_columns,
    rounded,
    tokens_of,
    values_of,
    without_gaps,
)
from understudy.registry import register
from understudy.roles import Explained, Floats, Ints, Model, Rng, Variables, Vocabulary
from understudy.schema import Attribution, DatasetRef, Record, TokenAttribution

# Local linear fit: a weighted ridge regression on few columns, chosen and solved on normal equations.

Selection = Literal["forward", "highest_weights"]

_FLAT = 1e-10
"""A column whose remaining variance is below this share explains nothing more."""


class LocalFit(NamedTuple):
    """The chosen columns in the order of their choice, their weights, and the intercept."""

    chosen: npt.NDArray[np.int64]
    weights: Floats
    intercept: float


class _Equations(NamedTuple):
    gram: Floats
    moments: Floats
    means: Floats
    mean: float


def local_linear(
    presence: Floats, values: Floats, nearness: Floats, *, n_columns: int, ridge: float, selection: Selection
) -> LocalFit:
    """Fit values by few columns of presence, rows weighted by nearness, with an intercept.

    Parameters
    ----------
    presence
        One row for each perturbed input, one column for each interpretable feature.
    values
        The model's output for each row.
    nearness
        The weight of each row.
    n_columns
        How many columns may be chosen.
    ridge
        The penalty on squared weights in the last fit; the intercept has none.
    selection
        forward: the column that raises R² most, again and again; highest_weights: those that weigh most in a fit
        of all of them with a penalty of 0.01. Ribeiro, Singh and Guestrin (2016), as the library lime does it.

    Examples
    --------
    >>> fit = local_linear(np.eye(3), np.array([2.0, 0.0, 0.0]), np.ones(3), n_columns=1, ridge=0.0,
    ...                    selection="forward")
    >>> int(fit.chosen[0]), round(float(fit.weights[0]), 6)
    (0, 2.0)
    """
    equations = _equations(presence, values, nearness)
    n_chosen = min(n_columns, presence.shape[1])
    if selection == "forward":
        chosen = _forward(equations, n_chosen)
    else:
        every = _ridge_weights(equations, np.arange(presence.shape[1]), 0.01)
        chosen = np.argsort(-np.abs(every), kind="stable")[:n_chosen]
    weights = _ridge_weights(equations, chosen, ridge)
    return LocalFit(chosen, weights, float(equations.mean - equations.means[chosen] @ weights))


def _equations(presence: Floats, values: Floats, nearness: Floats) -> _Equations:
    total = nearness.sum()
    means, mean = nearness @ presence / total, float(nearness @ values / total)
    centred = presence - means
    weighted = centred * nearness[:, None]
    return _Equations(weighted.T @ centred, weighted.T @ (values - mean), means, mean)


def _forward(equations: _Equations, n_chosen: int) -> npt.NDArray[np.int64]:
    """Sweep each chosen column out of the others, so that the gain of every column is known at once."""
    gram, moments = equations.gram.copy(), equations.moments.copy()
    floor = _FLAT * np.maximum(np.diag(gram), 1.0)
    chosen: list[int] = []
    for _ in range(n_chosen):
        spread = np.diag(gram)
        gains = np.divide(moments**2, spread, out=np.zeros_like(moments), where=spread > floor)
        # Below every possible gain, so that no column is chosen twice.
        gains[chosen] = -1.0
        best = int(np.argmax(gains))
        chosen.append(best)
        if spread[best] > floor[best]:
            share = gram[best] / spread[best]
            moments = moments - share * moments[best]
            gram = gram - np.outer(gram[best], share)
    return np.array(chosen, dtype=np.int64)


def _ridge_weights(equations: _Equations, chosen: npt.NDArray[np.int64], ridge: float) -> Floats:
    part = equations.gram[np.ix_(chosen, chosen)]
    penalised = part + ridge * np.eye(len(chosen))
    # Least squares, because a column that never varies leaves an unpenalised system without a unique answer.
    weights = np.linalg.lstsq(penalised, equations.moments[chosen], rcond=None)[0]
    return np.asarray(weights, dtype=np.float64)


_TEXT_WIDTH = 25.0
_TABLE_WIDTH = 0.75
_WORD = re.compile(r"\w")


class _Input(NamedTuple):
    """One input, and the class that is explained."""

    model: Model
    row: Floats
    column: int


class _Rows(NamedTuple):
    """Rows of the background, their legend, and the model's answer to each."""

    background: Background
    legend: Variables
    answers: Floats
    """Empty if rows are not drawn whole."""


@register("explainers", "lime")
class Lime(Record):
    """Explains by a sparse linear model, fitted to the model's answers on perturbed inputs near the explained one.

    A feature is that a variable keeps its value, or that a word stays everywhere in the text.
    Ribeiro, Singh and Guestrin (2016).
    """

    kinds: ClassVar[frozenset[str]] = frozenset({"attribution", "token_attribution"})
    is_costly: ClassVar[bool] = True
    background: DatasetRef
    """The dataset whose rows are drawn from, and whose legend reads the inputs."""
    n_background: int = Field(default=2000, ge=1, le=1_000_000)
    background_seed: int = Field(default=0, ge=0, le=2**64 - 1)
    n_features: int = Field(default=5, ge=1, le=10_000)
    n_samples: int = Field(default=5000, ge=2, le=100_000)
    """Perturbed inputs, the explained one included."""
    sampling: Literal["rows", "values"] = "rows"
    """rows: whole rows of the background; values: each variable by itself, as the library lime does it."""
    kernel_width: float | None = Field(default=None, gt=0)
    """Default: 25 for texts, and 0.75 times the square root of the number of variables for tables."""
    selection: Literal["forward", "highest_weights"] = "forward"
    ridge: float = Field(default=1.0, ge=0)
    toward: str | None = None
    """The label whose evidence is positive. Default: the second one."""

    def explain(self, model: Model, inputs: Floats, targets: Ints | None, rng: Rng) -> Explained:
        """Return one attribution per input."""
        background = background_of(self.background, self.n_background, self.background_seed)
        require_columns(model, inputs, background.legend)
        columns = columns_of(model, self.toward, targets, n=len(inputs))
        pairs = list(zip(inputs, columns, strict=True))
        if isinstance(background.legend, Vocabulary):
            legend = background.legend
            return Explained([self._of_text(_Input(model, row, column), legend, rng) for row, column in pairs])
        answers = model.predict(background.inputs) if self.sampling == "rows" and len(inputs) else np.zeros((0, 0))
        rows = _Rows(background, background.legend, answers)
        return Explained([self._of_row(_Input(model, row, column), rows, rng) for row, column in pairs])

    def _of_row(self, case: _Input, rows: _Rows, rng: Rng) -> Attribution:
        model, row, column = case
        background, legend, answers = rows
        # The answers to the background are known, so drawing whole rows only counts how often each row is drawn.
        if self.sampling == "rows":
            n_drawn = np.bincount(
                rng.integers(len(background.inputs), size=self.n_samples - 1), minlength=len(background.inputs)
            )
            drawn, n_copies = background.inputs, np.append(n_drawn, 1.0)
            values = np.append(answers[:, column], model.predict(row[None])[:, column])
        else:
            drawn = _shuffled_values(background.inputs, self.n_samples - 1, rng)
            n_copies = np.ones(self.n_samples)
            values = model.predict(np.vstack([drawn, row]))[:, column]
        presence = np.vstack([drawn == row, np.ones(len(row), dtype=np.bool_)]).astype(np.float64)
        width = self.kernel_width or _TABLE_WIDTH * sqrt(len(row))
        nearness = n_copies * np.exp(-(len(row) - presence.sum(axis=1)) / (2 * width**2))
        fit = self._fit(presence, values, nearness)
        order = np.argsort(-fit.weights, kind="stable")
        named = values_of(row, legend)
        return Attribution(
            features=tuple(legend.features[int(fit.chosen[k])] for k in order),
            weights=tuple(rounded(fit.weights[k]) for k in order),
            values=tuple(named[int(fit.chosen[k])] for k in order),
            **_evidence(fit, model, column),
        )

    def _of_text(self, case: _Input, legend: Vocabulary, rng: Rng) -> TokenAttribution:
        model, row, column = case
        tokens = tokens_of(row, legend)
        word_at = _word_numbers(tokens)
        n_words = int(word_at.max(initial=-1)) + 1
        ids = row[: len(tokens)]
        keeps = np.vstack([np.ones((1, n_words), dtype=np.bool_), _kept_words(n_words, self.n_samples - 1, rng)])
        distinct = distinct_rows(keeps)
        keeps, n_copies = keeps[distinct.places], np.bincount(distinct.copy_of).astype(np.float64)
        stays = np.ones((len(keeps), len(tokens)), dtype=np.bool_)
        stays[:, word_at >= 0] = keeps[:, word_at[word_at >= 0]]
        # Removed words leave no gap, as in the library lime, which deletes them from the string.
        texts = without_gaps(np.broadcast_to(ids, stays.shape), stays)
        is_text = lengths_of(texts) > 0
        if n_words == 0 or not is_text.any():
            return _nothing(case, tokens)
        keeps, texts, n_copies = keeps[is_text], texts[is_text], n_copies[is_text]
        values = answers_of_texts(model.predict, texts)[:, column]
        distance = 100 * (1 - np.sqrt(keeps.sum(axis=1) / n_words))
        nearness = n_copies * np.exp(-(distance**2) / (2 * (self.kernel_width or _TEXT_WIDTH) ** 2))
        fit = self._fit(keeps.astype(np.float64), values, nearness)
        weights = np.zeros(n_words)
        weights[fit.chosen] = fit.weights
        return TokenAttribution(
            tokens=tuple(tokens),
            weights=tuple(rounded(weights[k]) if k >= 0 else 0.0 for k in word_at),
            **_evidence(fit, model, column),
        )

    def _fit(self, presence: Floats, values: Floats, nearness: Floats) -> LocalFit:
        return local_linear(
            presence, values, nearness, n_columns=self.n_features, ridge=self.ridge, selection=self.selection
        )


def _evidence(fit: LocalFit, model: Model, column: int) -> dict[str, Any]:
    """Return the fields that attributions to features and to words share."""
    return {
        "baseline": rounded(fit.intercept),
        "total": rounded(fit.intercept + float(fit.weights.sum())),
        "even": _even(model),
        "toward": model.labels[column],
        "against": other_label(model, column),
    }


def _even(model: Model) -> float | None:
    """Return the probability at which a model with two labels is undecided."""
    return 0.5 if len(model.labels) == 2 else None


def _shuffled_values(background: Floats, n: int, rng: Rng) -> Floats:
    """Draw each variable independently, each value as often as in the background."""
    picked = rng.integers(len(background), size=(n, background.shape[1]))
    return np.take_along_axis(background, picked, axis=0)


def _word_numbers(tokens: Sequence[str]) -> npt.NDArray[np.int64]:
    """Number the distinct words in order of appearance; -1 for a token without a letter or digit."""
    number: dict[str, int] = {}
    return np.array(
        [number.setdefault(token, len(number)) if _WORD.search(token) else -1 for token in tokens], dtype=np.int64
    )


def _kept_words(n_words: int, n: int, rng: Rng) -> npt.NDArray[np.bool_]:
    """Remove a uniform number of words, from one to all, with every subset of that size equally likely."""
    n_removed = rng.integers(1, max(n_words, 1) + 1, size=n)
    # Sorting random numbers gives a random order of the words, without a loop over rows.
    return np.asarray(np.argsort(rng.random((n, n_words)), axis=1) >= n_removed[:, None])


def _nothing(case: _Input, tokens: list[str]) -> TokenAttribution:
    likely = rounded(case.model.predict(case.row[None])[0, case.column])
    return TokenAttribution(
        tokens=tuple(tokens),
        weights=(0.0,) * len(tokens),
        baseline=likely,
        total=likely,
        even=_even(case.model),
        toward=case.model.labels[case.column],
        against=other_label(case.model, case.column),
    )
