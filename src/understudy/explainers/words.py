"""Words: which of a vocabulary can be exchanged, and what they are like."""

import re
from dataclasses import replace
from typing import Literal

import numpy as np

from understudy.errors import MaterialsError
from understudy.explainers.kernels.word_edits import WordTable
from understudy.roles import Floats, Model, Vocabulary

EDITABLE_TAGS = frozenset({"NOUN", "VERB", "ADJ", "ADV", "ADP"})
FIXED_WORDS = frozenset({"be"})
UNKNOWN_WORD = "<unk>"
BLANK = -1.0
Replacement = Literal["zero", "unk"]
_LETTER = re.compile(r"[^\W\d_]")


def word_table(legend: Vocabulary) -> WordTable | None:
    """Read what edits need to know of each word; None where the vocabulary has no vectors.

    Words with a part of speech can be edited if it carries content; without one, whatever has a letter can.
    """
    if legend.vectors is None:
        return None
    vectors = np.asarray(legend.vectors, dtype=np.float64)
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    tags = legend.tags or ("",) * len(legend.words)
    number = {tag: k for k, tag in enumerate(sorted(set(tags)))}
    return WordTable(
        directions=np.divide(vectors, length, out=np.zeros_like(vectors), where=length > 0),
        tags=np.array([number[tag] for tag in tags], dtype=np.int64),
        is_editable=np.array(
            [
                word not in FIXED_WORDS and bool(_LETTER.search(word)) and (not tag or tag in EDITABLE_TAGS)
                for word, tag in zip(legend.words, tags, strict=True)
            ],
            dtype=np.bool_,
        ),
    )


def words_for(model: Model, legend: Vocabulary, table: WordTable | None) -> WordTable:
    """Return the vocabulary's own table, or one of what the model learned about each word."""
    if table is not None:
        return table
    learned = getattr(model, "word_vectors", None)
    made = None if learned is None else word_table(replace(legend, vectors=np.asarray(learned, dtype=np.float64)))
    if made is None or len(made.directions) != len(legend.words):
        raise MaterialsError(
            "Words are to be replaced by similar ones, but neither the background's vocabulary nor the model has a "
            "vector for each word. Name a dataset with vectors."
        )
    return made


def replacement_id(legend: Vocabulary, replacement: Replacement) -> float:
    """Return what stands for a word that is taken out: the unknown word, or a blank.

    A model reads a blank as a zero vector, or closes the gap, as the trained classifiers of this package do.
    """
    if replacement == "zero":
        return BLANK
    if UNKNOWN_WORD not in legend.words:
        raise MaterialsError(
            f"Words are to be replaced by {UNKNOWN_WORD!r}, which the vocabulary does not have. Use replacement = 'zero'."
        )
    return float(legend.words.index(UNKNOWN_WORD))


def without_each(row: Floats, places: list[int], stand_in: float) -> Floats:
    """Return one text for each place, with the word there taken out."""
    texts = np.repeat(row[None], len(places), axis=0)
    texts[np.arange(len(places)), places] = stand_in
    return texts
