"""Words: which of a vocabulary can be exchanged, and what they are like."""

import re
from typing import Literal

import numpy as np

from understudy.errors import MaterialsError
from understudy.explainers.kernels.word_edits import WordTable
from understudy.roles import Floats, Vocabulary

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


def required_words(table: WordTable | None) -> WordTable:
    """Return the table, or say that a vocabulary without vectors knows no similar words."""
    if table is None:
        raise MaterialsError(
            "Words are to be replaced by similar ones, but the background's vocabulary has no word vectors. "
            "Name a dataset with vectors."
        )
    return table


def replacement_id(legend: Vocabulary, replacement: Replacement) -> float:
    """Return what stands for a word that is taken out: a blank, which models read as a zero vector, or the unknown word."""
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
