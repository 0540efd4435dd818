"""Omission: how the evidence changes without each word, or with each variable averaged over its likely values."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from pydantic import Field

from understudy.deferred.scipy import optimize, special
from understudy.errors import MaterialsError
from understudy.explainers.inputs import (
    answers_of,
    answers_of_texts,
    background_of,
    columns_of,
    lengths_of,
    margins_of,
    other_label,
    require_columns,
    require_two_labels,
    rounded,
    tokens_of,
    values_of,
)
from understudy.registry import register
from understudy.roles import Explained, Floats, Ints, Model, Rng, Variables, Vocabulary
from understudy.schema import (
    Attribution,
    DatasetRef,
    Importance,
    Record,
    Ref,
    TokenAttribution,
    canonical_json,
    json_from_record,
)
from understudy.sources.words import UNKNOWN

# Imputation: how likely each value of a variable is, given the others, by multinomial logistic regression.


class Imputer(NamedTuple):
    """One regression for each variable, on the other variables' values."""

    n_values: tuple[int, ...]
    weights: tuple[Floats, ...]
    """One row for each value of every variable (zero for the variable itself), and a last row for the intercept."""


def fit_imputer(rows: Floats, n_values: Sequence[int], *, inverse_penalty: float = 1000.0) -> Imputer:
    """Fit every variable on all the others, without interactions.

    Parameters
    ----------
    rows
        Codes, one column for each variable.
    n_values
        How many values each variable has.
    inverse_penalty
        C: half the squared weights count against C times the log-likelihood; intercepts are free.
    """
    codes = rows.astype(np.int64)
    return Imputer(
        tuple(n_values),
        tuple(_fitted(codes, list(n_values), variable, inverse_penalty) for variable in range(len(n_values))),
    )


def value_chances(imputer: Imputer, row: Floats, variable: int) -> Floats:
    """Return the probability of each value of a variable, given the rest of the row."""
    weights = imputer.weights[variable]
    picked = [int(start + code) for start, code in zip(_starts(imputer.n_values), row, strict=True)]
    del picked[variable]
    scores = weights[picked].sum(axis=0) + weights[-1]
    return np.asarray(np.exp(scores - special.logsumexp(scores)), dtype=np.float64)


def _starts(n_values: Sequence[int]) -> Ints:
    return np.concatenate([[0], np.cumsum(n_values)[:-1]]).astype(np.int64)


def _fitted(codes: Ints, n_values: list[int], variable: int, inverse_penalty: float) -> Floats:
    """Minimise the penalised loss; equal rows enter once, weighted by their number."""
    # A category table has few distinct rows, so counting copies makes the fit many times faster.
    starts, n_columns, n_classes = _starts(n_values), int(sum(n_values)), n_values[variable]
    distinct, n_copies = np.unique(codes, axis=0, return_counts=True)
    others = [j for j in range(len(n_values)) if j != variable]
    design = np.zeros((len(distinct), n_columns + 1))
    design[np.arange(len(distinct))[:, None], (distinct + starts)[:, others]] = 1.0
    design[:, -1] = 1.0
    target = np.eye(n_classes)[distinct[:, variable]]
    counts = n_copies.astype(np.float64)[:, None]

    def loss(flat: Floats) -> tuple[float, Floats]:
        weights = flat.reshape(n_columns + 1, n_classes)
        scores = design @ weights
        log_chance = scores - special.logsumexp(scores, axis=1, keepdims=True)
        slope = inverse_penalty * design.T @ (counts * (np.exp(log_chance) - target))
        # The last row is the intercept, which is not penalised.
        slope[:-1] += weights[:-1]
        value = -inverse_penalty * float((counts * target * log_chance).sum()) + 0.5 * float((weights[:-1] ** 2).sum())
        return value, slope.ravel()

    solution = optimize.minimize(
        loss, np.zeros((n_columns + 1) * n_classes), jac=True, method="L-BFGS-B", options={"maxiter": 200}
    )
    return np.asarray(solution.x, dtype=np.float64).reshape(n_columns + 1, n_classes)


# Omitted words: what replaces them, and the texts without each.

BLANK = -1.0
Replacement = Literal["zero", "unk"]


def replacement_id(legend: Vocabulary, replacement: Replacement) -> float:
    """Return the token id that replaces an omitted word: the unknown word, or a blank.

    A model reads a blank as a zero vector, or closes the gap, as the trained classifiers of this package do.
    """
    if replacement == "zero":
        return BLANK
    if UNKNOWN not in legend.words:
        raise MaterialsError(
            f"Words are to be replaced by {UNKNOWN!r}, which the vocabulary does not have. Use replacement = 'zero'."
        )
    return float(legend.words.index(UNKNOWN))


def without_each(row: Floats, places: list[int], stand_in: float) -> Floats:
    """Return one text for each position, with the word there replaced."""
    texts = np.repeat(row[None], len(places), axis=0)
    texts[np.arange(len(places)), places] = stand_in
    return texts


# Importance by omission: how much a score falls without a word, or with a variable averaged over its likely values.

Score = Callable[[Floats], Floats]
"""One number for each row."""
Keeps = Literal["largest", "ends"]
FULL, HALF, FLOOR = 0.1, 0.5, 0.03
"""Thresholds above which importance is shown, in the published units."""


class Omissions(NamedTuple):
    """How importance is found, and how much of it is shown."""

    background: Ref
    n_background: int
    background_seed: int
    replacement: Replacement
    most: int
    keeps: Keeps


def word_importance(row: Floats, legend: Vocabulary, score: Score, *, replacement: Replacement) -> Floats:
    """Return the score of a text minus the score without each word."""
    n_tokens = int(lengths_of(row[None])[0])
    # The text itself is the first row, so that one batch gives all differences.
    stand_in = replacement_id(legend, replacement)
    texts = np.vstack([row[None], without_each(row, list(range(n_tokens)), stand_in)])
    scores = answers_of_texts(lambda rows: score(rows)[:, None], texts)[:, 0]
    return np.asarray(scores[0] - scores[1:], dtype=np.float64)


def value_importance(row: Floats, legend: Variables, score: Score, imputer: Imputer) -> Floats:
    """Return the score of a row minus its mean over the likely values of each variable."""
    sizes = [len(names) for names in legend.values]
    rows = np.repeat(row[None], sum(sizes), axis=0)
    rows[np.arange(sum(sizes)), np.repeat(np.arange(len(sizes)), sizes)] = np.concatenate(
        [np.arange(size) for size in sizes]
    )
    scores = answers_of(lambda codes: score(codes)[:, None], np.vstack([row[None], rows]))[:, 0]
    parts = np.split(scores[1:], np.cumsum(sizes)[:-1])
    usual = [value_chances(imputer, row, variable) @ part for variable, part in enumerate(parts)]
    return np.asarray(scores[0] - np.array(usual), dtype=np.float64)


def imputer_of(background: Ref, n_rows: int, seed: int) -> Imputer:
    """Fit the regressions of a background once."""
    return _imputer(canonical_json(json_from_record(background)), n_rows, seed)


@lru_cache(maxsize=8)
def _imputer(ref_json: str, n_rows: int, seed: int) -> Imputer:
    background = background_of(Ref.model_validate_json(ref_json), n_rows, seed)
    values = background.legend.values if isinstance(background.legend, Variables) else ()
    return fit_imputer(background.inputs, [len(names) for names in values])


def worth_showing(importance: Floats, *, most: int, keeps: Keeps) -> npt.NDArray[np.int64]:
    """Return the indices worth showing, from the most positive to the most negative.

    Hase and Bansal (2020): if any value exceeds 0.1, those that reach 0.1 or half the largest, whichever is less; otherwise
    those that reach 0.03. Of more than `most`, the largest are kept or, as in the program, those at both ends.
    """
    size = np.abs(importance)
    top = float(size.max(initial=0.0))
    places = np.flatnonzero(size >= (min(FULL, HALF * top) if top > FULL else FLOOR))
    places = places[np.argsort(-importance[places], kind="stable")]
    if len(places) <= most:
        return places.astype(np.int64)
    # Places are sorted by signed importance here, so both ends hold the strongest evidence for either label.
    if keeps == "ends":
        return np.concatenate([places[: most - most // 2], places[len(places) - most // 2 :]]).astype(np.int64)
    largest = np.sort(np.argsort(-size[places], kind="stable")[:most])
    return places[largest].astype(np.int64)


def importance_of(row: Floats, legend: Variables | Vocabulary, score: Score, by: Omissions) -> Importance:
    """Return every token with its weight, zero if it is not worth showing, or only the variables worth showing."""
    if isinstance(legend, Vocabulary):
        importance = word_importance(row, legend, score, replacement=by.replacement)
        shown_weights = np.zeros_like(importance)
        places = worth_showing(importance, most=by.most, keeps=by.keeps)
        shown_weights[places] = importance[places]
        return Importance(
            tokens=tuple(tokens_of(row, legend)), weights=tuple(rounded(weight) for weight in shown_weights)
        )
    importance = value_importance(row, legend, score, imputer_of(by.background, by.n_background, by.background_seed))
    places = worth_showing(importance, most=by.most, keeps=by.keeps)
    values = values_of(row, legend)
    return Importance(
        features=tuple(legend.features[j] for j in places),
        weights=tuple(rounded(importance[j]) for j in places),
        values=tuple(values[j] for j in places),
    )


@register("explainers", "omission")
class Omission(Record):
    """Explains by how much the margin falls with each omission, and shows the margin itself.

    A sixth condition that Hase and Bansal (2020) generated but did not report.
    """

    kinds: ClassVar[frozenset[str]] = frozenset({"attribution", "token_attribution"})
    is_costly: ClassVar[bool] = True
    background: DatasetRef
    n_background: int = Field(default=2000, ge=1, le=1_000_000)
    background_seed: int = Field(default=0, ge=0, le=2**64 - 1)
    replacement: Literal["zero", "unk"] = "zero"
    """What replaces an omitted word: a blank, as in the paper, or the unknown word, as in the program."""
    max_shown: int = Field(default=6, ge=1, le=10_000)
    keeps: Literal["largest", "ends"] = "largest"
    toward: str | None = None
    """The label whose evidence is positive. Default: the second one."""

    def explain(self, model: Model, inputs: Floats, targets: Ints | None, rng: Rng) -> Explained:
        """Return one attribution per input."""
        background = background_of(self.background, self.n_background, self.background_seed)
        require_columns(model, inputs, background.legend)
        require_two_labels(model)
        columns = columns_of(model, self.toward, targets, n=len(inputs))
        return Explained(
            [self._of(model, row, background.legend, column) for row, column in zip(inputs, columns, strict=True)]
        )

    def _of(
        self, model: Model, row: Floats, legend: Variables | Vocabulary, column: int
    ) -> Attribution | TokenAttribution:
        sign = 1.0 if column == 1 else -1.0

        def score(rows: Floats) -> Floats:
            return sign * margins_of(model, rows)

        by = Omissions(
            self.background, self.n_background, self.background_seed, self.replacement, self.max_shown, self.keeps
        )
        importance = importance_of(row, legend, score, by)
        evidence: dict[str, Any] = {
            "weights": importance.weights,
            "total": rounded(score(row[None])[0]),
            "even": 0.0,
            "toward": model.labels[column],
            "against": other_label(model, column),
        }
        if isinstance(legend, Vocabulary):
            return TokenAttribution(tokens=importance.tokens, **evidence)
        return Attribution(features=importance.features, values=importance.values, **evidence)
