"""Importance by omission: how much a score falls without a word, or with a variable averaged over its likely values."""

from collections.abc import Callable
from functools import lru_cache
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from understudy.explainers.background import background_of
from understudy.explainers.kernels.distinct import answers_of, answers_of_texts, lengths_of
from understudy.explainers.kernels.imputation import Imputer, fit_imputer, value_chances
from understudy.explainers.omitted_words import Replacement, replacement_id, without_each
from understudy.explainers.reading import rounded, tokens_of, values_of
from understudy.roles import Floats, Variables, Vocabulary
from understudy.schema import Importance, Ref, canonical_json, json_from_record

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
