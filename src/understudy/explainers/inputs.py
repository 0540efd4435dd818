"""Inputs of explainers: typical rows with their legend, and samples without repetition."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from understudy.errors import MaterialsError
from understudy.registry import create
from understudy.roles import Dataset, Floats, HasMargins, Ints, Model, Variables, Vocabulary
from understudy.schema import Ref, canonical_json, json_from_record
from understudy.sources.cases import require_same_legend
from understudy.sources.edits import WordTable
from understudy.sources.words import word_table


class Background(NamedTuple):
    """Rows drawn from a dataset, with their legend."""

    inputs: Floats
    legend: Variables | Vocabulary
    words: WordTable | None = None
    """What edits need to know about each word, if the vocabulary has vectors."""


def background_of(ref: Ref, n_rows: int, seed: int) -> Background:
    """Draw the background, the same for every item, so that no explanation depends on its batch."""
    return _background(canonical_json(json_from_record(ref)), n_rows, seed)


@lru_cache(maxsize=8)
def _background(ref_json: str, n_rows: int, seed: int) -> Background:
    ref = Ref.model_validate_json(ref_json)
    dataset: Dataset = create("datasets", ref)
    sample = dataset.draw(n_rows, np.random.default_rng(seed))
    if sample.inputs is None or sample.legend is None:
        raise MaterialsError(
            f"Dataset {ref.name!r} cannot be a background: its inputs are neither codes of named values nor words. "
            "Name a dataset with a legend, such as one of categorical variables or of sentences."
        )
    if not len(sample.inputs):
        raise MaterialsError(f"Dataset {ref.name!r} cannot be a background: it has no rows. Name one that has some.")
    inputs = np.asarray(sample.inputs, dtype=np.float64)
    # Cached and shared by all explainers, so nobody may change it in place.
    inputs.flags.writeable = False
    words = word_table(sample.legend) if isinstance(sample.legend, Vocabulary) else None
    return Background(inputs, sample.legend, words)


# Distinct rows: ask a model once about each, however often it was drawn.

Answers = Callable[[Floats], Floats]

_STREAM = 0x5EED
N_AT_ONCE = 2048
"""Texts sent to a model together; sorted by length, so that few of them need padding."""


class Distinct(NamedTuple):
    """The index of one copy of each distinct row, and which of these copies each row equals."""

    places: Ints
    copy_of: Ints


def distinct_rows(rows: npt.NDArray[np.float64 | np.int64 | np.bool_]) -> Distinct:
    """Find rows that are equal, by a 64-bit sum of products; ten thousand rows collide once in 10¹¹ calls."""
    # Odd factors lose no bits in the wrapping 64-bit product; hashing rows is faster than sorting them whole.
    factors = np.random.default_rng(_STREAM).integers(1, 2**63, size=rows.shape[1], dtype=np.uint64) | np.uint64(1)
    keys = rows.astype(np.int64).astype(np.uint64) @ factors
    _, places, copy_of = np.unique(keys, return_index=True, return_inverse=True)
    return Distinct(places.astype(np.int64), copy_of.astype(np.int64))


def answers_of(answer: Answers, rows: Floats) -> Floats:
    """Ask about each distinct row once, and return the answers for all of them."""
    distinct = distinct_rows(rows)
    return np.asarray(answer(rows[distinct.places]), dtype=np.float64)[distinct.copy_of]


def answers_of_texts(answer: Answers, rows: Floats) -> Floats:
    """Ask about each distinct text once, in batches of similar length with the padding cut off."""
    distinct = distinct_rows(rows)
    texts = rows[distinct.places]
    lengths = lengths_of(texts)
    order = np.argsort(lengths, kind="stable")
    parts = [
        np.asarray(answer(texts[batch, : max(1, int(lengths[batch[-1]]))]), dtype=np.float64)
        for batch in np.split(order, range(N_AT_ONCE, len(order), N_AT_ONCE))
    ]
    answers = np.concatenate(parts)
    # Inverts the sorting, so that answers are in the order of the texts again.
    back = np.empty_like(order)
    back[order] = np.arange(len(order))
    return answers[back][distinct.copy_of]


def lengths_of(rows: Floats) -> Ints:
    """Return the length of each row of token ids without its padding."""
    is_padded = np.cumsum((rows >= 0)[:, ::-1], axis=1) == 0
    return np.asarray(rows.shape[1] - is_padded.sum(axis=1), dtype=np.int64)


def without_gaps(rows: Floats, keeps: npt.NDArray[np.bool_]) -> Floats:
    """Drop the tokens that are not kept, and close the gaps."""
    order = np.argsort(~keeps, axis=1, kind="stable")
    blanked = np.where(keeps, rows, -1.0)
    return np.take_along_axis(blanked, order, axis=1)


# Reading: turn rows of numbers into words and values, and labels into columns of a model's output.

N_DIGITS = 6
"""Decimal places in explanations: more than anyone reads, but few enough to hide differences in rounding."""
_TINY = 1e-12


def rounded(value: float) -> float:
    """Round a number for an explanation; minus zero becomes zero."""
    return round(float(value), N_DIGITS) + 0.0


def tokens_of(row: Floats, legend: Vocabulary) -> list[str]:
    """Return the words of a row of token ids; a blank inside it reads as an empty word."""
    ids = row[: int(lengths_of(row[None])[0])].astype(np.int64)
    return [legend.words[k] if k >= 0 else "" for k in ids]


def values_of(row: Floats, legend: Variables) -> list[str]:
    """Return the names of the values in a row of codes."""
    return [names[int(code)] for names, code in zip(legend.values, row, strict=True)]


def require_columns(model: Model, inputs: Floats, legend: Variables | Vocabulary) -> None:
    """Refuse inputs that the background's legend cannot read, and a model with another legend."""
    require_same_legend(model, legend, of="the background has")
    if isinstance(legend, Variables) and inputs.shape[1] != len(legend.features):
        raise MaterialsError(
            f"The background has {len(legend.features)} variables, but the explained inputs have {inputs.shape[1]}. "
            "Name the dataset that the items come from."
        )
    n_words = len(legend.words) if isinstance(legend, Vocabulary) else None
    if n_words is not None and inputs.size and inputs.max() >= n_words:
        raise MaterialsError(
            f"The background knows {n_words} words, but an explained text holds word number {int(inputs.max())}. "
            "Name the dataset that the items come from."
        )


def column_of(model: Model, toward: str | None) -> int:
    """Return the column of the label whose evidence counts as positive: the second one unless another is named."""
    if not model.labels:
        raise MaterialsError("The bound model predicts values, not labels. Bind a classifier to be explained.")
    if toward is None:
        return min(1, len(model.labels) - 1)
    if toward not in model.labels:
        raise MaterialsError(
            f"Explanations should point toward {toward!r}, which is not a label of the model. "
            f"Its labels are: {', '.join(model.labels)}."
        )
    return model.labels.index(toward)


def other_label(model: Model, column: int) -> str | None:
    """Return the label that evidence against a column speaks for; None if there are several."""
    return model.labels[1 - column] if len(model.labels) == 2 else None


def columns_of(model: Model, toward: str | None, targets: Ints | None, *, n: int) -> list[int]:
    """Return the column of the label that each of n inputs is explained for: its target, or one label for all."""
    if targets is None:
        return [column_of(model, toward)] * n
    column_of(model, None)  # refuses a model without labels
    if len(targets) != n:
        raise MaterialsError(f"There are {len(targets)} target classes for {n} inputs. Give one for each.")
    strange = sorted({int(target) for target in targets if not 0 <= target < len(model.labels)})
    if strange:
        raise MaterialsError(
            f"Explanations are asked for class number {', '.join(map(str, strange))}, but the model has "
            f"{len(model.labels)} classes, counted from 0. They are: {', '.join(model.labels)}."
        )
    return [int(target) for target in targets]


def require_predicted(model: Model, inputs: Floats, targets: Ints | None, *, method: str) -> None:
    """Refuse targets that differ from the model's answers, for a method that explains only these."""
    if targets is None or not len(inputs):
        return
    wanted = columns_of(model, None, targets, n=len(inputs))
    n_other = int((np.argmax(model.predict(inputs), axis=1) != np.array(wanted)).sum())
    if n_other:
        raise MaterialsError(
            f"{method} explains the answer that the model gave, but {n_other} of the {len(inputs)} inputs are to be "
            "explained for another class. Leave the targets out, or bind an explainer that weighs evidence, such as lime."
        )


def require_recorded(
    model: Model, towards: Sequence[str | None], targets: Ints | None, *, source: str, advice: str = ""
) -> None:
    """Refuse targets other than the labels that recorded explanations are for."""
    if targets is None:
        return
    wanted = [model.labels[column] for column in columns_of(model, None, targets, n=len(towards))]
    n_other = sum(label != toward for label, toward in zip(wanted, towards, strict=True))
    if n_other:
        raise MaterialsError(
            f"{source} has no explanation of the requested class for {n_other} of the {len(wanted)} inputs. "
            f"{advice or 'Leave the targets out, or record explanations of that class.'}"
        )


def require_two_labels(model: Model) -> None:
    """Refuse a model without exactly two labels, because evidence is a margin between two."""
    if len(model.labels) != 2:
        raise MaterialsError(
            f"This explanation weighs one label against another, but the model has {len(model.labels)}. "
            "Bind a model with two labels."
        )


def margins_of(model: Model, inputs: Floats) -> Floats:
    """Return the evidence for the second label over the first: the model's own, or the log-odds."""
    if isinstance(model, HasMargins):
        return np.asarray(model.margins(inputs), dtype=np.float64)
    return log_odds(model.predict(inputs))


def log_odds(probabilities: Floats) -> Floats:
    """Return the log-odds of the second label against the first, finite even at probability 0 or 1."""
    likely = np.clip(probabilities, _TINY, 1 - _TINY)
    return np.asarray(np.log(likely[:, 1] / likely[:, 0]), dtype=np.float64)


def log_odds_of(probabilities: Floats, columns: Sequence[int]) -> Floats:
    """Return the log-odds, in each row, of one label against all others."""
    likely = np.clip(probabilities[np.arange(len(probabilities)), list(columns)], _TINY, 1 - _TINY)
    return np.asarray(np.log(likely / (1 - likely)), dtype=np.float64)
