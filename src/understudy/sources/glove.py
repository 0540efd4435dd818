"""GloVe: word vectors from the data folder, if they are there."""

from functools import cache
from pathlib import Path

import numpy as np

from understudy.errors import MaterialsError
from understudy.roles import Floats
from understudy.sources.number_files import arrays_from_npz

WORDS, VECTORS = "words.txt", "glove_100d_f16.npz"


def has_glove(folder: Path) -> bool:
    """Tell whether both files are there."""
    return (folder / WORDS).is_file() and (folder / VECTORS).is_file()


def vectors_of_words(words: tuple[str, ...], folder: Path) -> Floats:
    """Return one row for each word, zeros for a word without a vector."""
    row_of, vectors = _read(folder)
    rows = np.zeros((len(words), vectors.shape[1]))
    for row, word in enumerate(words):
        if word in row_of:
            rows[row] = vectors[row_of[word]]
    return rows


@cache
def _read(folder: Path) -> tuple[dict[str, int], Floats]:
    if not has_glove(folder):
        raise MaterialsError(f"{folder} lacks {WORDS} or {VECTORS}. Put both there, or do without word vectors.")
    words = (folder / WORDS).read_text(encoding="utf-8").splitlines()
    held = arrays_from_npz(folder / VECTORS, ("vectors",))
    if "vectors" not in held:
        raise MaterialsError(f"{folder / VECTORS} holds no array 'vectors'. Fetch the file again.")
    vectors = held["vectors"].astype(np.float64)
    if len(words) != len(vectors):
        raise MaterialsError(f"{folder} has {len(words)} words and {len(vectors)} vectors. Fetch both files again.")
    return {word: row for row, word in enumerate(words)}, vectors
