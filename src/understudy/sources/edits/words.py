"""Words: which words of a vocabulary can be replaced, and how similar they are."""

import re
from dataclasses import replace

import numpy as np

from understudy.errors import MaterialsError
from understudy.roles import Floats, HasWordVectors, Model, Vocabulary
from understudy.sources.edits.word_edits import WordTable

EDITABLE = frozenset({"NOUN", "VERB", "ADJ", "ADV", "ADP"})
"""Parts of speech whose words may be replaced."""
FIXED_WORDS = frozenset({"be"})
_LETTER = re.compile(r"[^\W\d_]")
_INFLECTIONS = ("ing", "ed", "ly", "est", "er", "s")


def word_table(legend: Vocabulary, *, keeps_form: bool = False) -> WordTable | None:
    """Read what edits need to know about each word; None if the vocabulary has no vectors.

    Words with a part of speech can be edited if it carries content; without one, any word with a letter can. If the
    form is kept, a plural is replaced by a plural, and a past tense by a past tense.
    """
    if legend.vectors is None:
        return None
    vectors = np.asarray(legend.vectors, dtype=np.float64)
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    tags = legend.tags or ("",) * len(legend.words)
    forms = [inflection(word) if keeps_form else "" for word in legend.words]
    kinds = list(zip(tags, forms, strict=True))
    number = {kind: k for k, kind in enumerate(sorted(set(kinds)))}
    return WordTable(
        directions=np.divide(vectors, length, out=np.zeros_like(vectors), where=length > 0),
        kinds=np.array([number[kind] for kind in kinds], dtype=np.int64),
        is_editable=np.array(
            [
                word not in FIXED_WORDS and bool(_LETTER.search(word)) and (not tag or tag in EDITABLE)
                for word, tag in zip(legend.words, tags, strict=True)
            ],
            dtype=np.bool_,
        ),
    )


def words_for(model: Model, legend: Vocabulary, *, keeps_form: bool = False) -> WordTable:
    """Return the table of the vocabulary, or one from the word vectors of the model."""
    learned: Floats | None = (
        legend.vectors
        if legend.vectors is not None
        else (model.word_vectors if isinstance(model, HasWordVectors) else None)
    )
    table = word_table(replace(legend, vectors=learned), keeps_form=keeps_form)
    if table is None or len(table.directions) != len(legend.words):
        raise MaterialsError(
            "Words are to be replaced by similar ones, but neither their vocabulary nor the model has a vector for each "
            "word. Put GloVe vectors into the data folder, or name a model that learned some, as a trained_classifier did."
        )
    return table


def inflection(word: str) -> str:
    """Return the ending that marks the form of a word: number, tense, comparison; empty for the plain form."""
    for ending in _INFLECTIONS:
        if word.endswith(ending) and len(word) > len(ending) + 2 and not word.endswith("ss"):
            return ending
    return ""
