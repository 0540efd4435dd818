"""Text table: sentences of one's own from a CSV file, cut at their spaces, as models of texts take them."""

import os
import string
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from understudy.errors import MaterialsError
from understudy.registry import register
from understudy.roles import Floats, Rng, Sample, Vocabulary
from understudy.schema import AssetPath, Record
from understudy.sources.cases import Ints, content_from_row, padded, trimmed
from understudy.sources.csv_rows import table_from_csv
from understudy.sources.data_folder import data_folder
from understudy.sources.glove import has_glove, vectors_of_words
from understudy.sources.part_of_speech import neighbours_of_words, tags_from_corpus
from understudy.sources.tokens import ids_from_tokens, words_by_frequency


class _Texts(NamedTuple):
    """The sentences of a file."""

    tokens: Floats
    labels: tuple[str, ...]
    legend: Vocabulary


@register("datasets", "text_table")
class TextTable(Record):
    """Draws sentences of a CSV file, without replacement; words are what stands between spaces.

    Words have GloVe vectors where the data folder has them; elsewhere words are alike that have the same neighbours in
    these sentences, which is coarser.
    """

    path: AssetPath
    text: str = "text"
    """The column with the sentence."""
    label: str = "label"
    """The column with the true label."""
    vectors: str = ""
    """Where words.txt and glove_100d_f16.npz lie; the folder `glove-100d` of the data folder when absent."""

    def draw(self, n: int, rng: Rng) -> Sample:
        """Return n sentences with their labels."""
        read = self._read()
        return _sample(read, rng.permutation(len(read.labels))[:n])

    def whole(self) -> Sample:
        """Return every sentence, in the order of the file."""
        read = self._read()
        return _sample(read, np.arange(len(read.labels)))

    def _read(self) -> _Texts:
        path = Path(self.path)
        vectors = Path(self.vectors) if self.vectors else data_folder(os.environ) / "glove-100d"
        changed_ns = path.stat().st_mtime_ns if path.is_file() else 0
        return _texts(path, (self.text, self.label), vectors, changed_ns)


def _sample(read: _Texts, places: Ints) -> Sample:
    inputs = np.ascontiguousarray(trimmed(read.tokens[places]))
    return Sample(
        contents=[content_from_row(row, read.legend) for row in inputs],
        attributes={"label": [read.labels[int(one)] for one in places]},
        inputs=inputs,
        legend=read.legend,
    )


@cache
def _texts(path: Path, columns: tuple[str, str], glove: Path, _changed_ns: int) -> _Texts:
    table = table_from_csv(str(path), columns)
    sentences = [str(one).split() for one in table[columns[0]]]
    empty = [place for place, one in enumerate(sentences, start=1) if not one]
    if empty or not sentences:
        raise MaterialsError(
            f"{str(path)!r} has no words in {f'sentence {empty[0]}' if empty else 'it'}. Give each row a sentence."
        )
    words = words_by_frequency(sentences)
    id_of = {word: place for place, word in enumerate(words)}
    tokens = padded([ids_from_tokens(one, id_of) for one in sentences])
    plain = tuple(word.strip(string.punctuation).lower() or word for word in words)
    known = vectors_of_words(plain, glove) if has_glove(glove) else None
    tags = tags_from_corpus(plain, tokens, known)
    vectors = neighbours_of_words(tokens.astype(np.int64), len(words)) if known is None else known
    return _Texts(tokens, tuple(str(one) for one in table[columns[1]]), Vocabulary(words, vectors, tags))
