"""Omitted words: what replaces them, and the texts without each."""

from typing import Literal

import numpy as np

from understudy.errors import MaterialsError
from understudy.roles import Floats, Vocabulary
from understudy.sources.tokens import UNKNOWN

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
