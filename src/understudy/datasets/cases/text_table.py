"""Text table: your own sentences from a CSV file, split at spaces for text models."""

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


class _Columns(NamedTuple):
    """The names of the columns to read."""

    text: str
    label: str


class _Texts(NamedTuple):
    """The sentences of a file."""

    tokens: Floats
    labels: tuple[str, ...]
    legend: Vocabulary


@register("datasets", "text_table")
class TextTable(Record):
    """Draws sentences of a CSV file, without replacement; words are separated by spaces.

    Words have GloVe vectors if the data folder has them; otherwise words with the same neighbours in these sentences
    count as similar, which is coarser.
    """

    path: AssetPath
    text: str = "text"
    """The column with the sentence."""
    label: str = "label"
    """The column with the true label."""
    vectors: str = ""
    """The folder with words.txt and glove_100d_f16.npz; `glove-100d` in the data folder by default."""

    def draw(self, n: int, rng: Rng) -> Sample:
        """Return n sentences with their labels."""
        texts = self._read()
        return _sample(texts, rng.permutation(len(texts.labels))[:n])

    def whole(self) -> Sample:
        """Return every sentence, in the order of the file."""
        texts = self._read()
        return _sample(texts, np.arange(len(texts.labels)))

    def _read(self) -> _Texts:
        path = Path(self.path)
        vectors = Path(self.vectors) if self.vectors else data_folder(os.environ) / "glove-100d"
        # Part of the cache key, so that a changed file is read again.
        changed_ns = path.stat().st_mtime_ns if path.is_file() else 0
        return _texts(path, _Columns(self.text, self.label), vectors, changed_ns)


def _sample(texts: _Texts, rows: Ints) -> Sample:
    inputs = np.ascontiguousarray(trimmed(texts.tokens[rows]))
    return Sample(
        contents=[content_from_row(row, texts.legend) for row in inputs],
        attributes={"label": [texts.labels[int(row)] for row in rows]},
        inputs=inputs,
        legend=texts.legend,
    )


@cache
def _texts(path: Path, columns: _Columns, glove: Path, _changed_ns: int) -> _Texts:
    table = table_from_csv(str(path), columns)
    sentences = [str(text).split() for text in table[columns.text]]
    empty = [number for number, words in enumerate(sentences, start=1) if not words]
    if empty or not sentences:
        raise MaterialsError(
            f"{str(path)!r} has no words in {f'sentence {empty[0]}' if empty else 'it'}. Give each row a sentence."
        )
    words = words_by_frequency(sentences)
    id_of = {word: word_id for word_id, word in enumerate(words)}
    tokens = padded([ids_from_tokens(sentence, id_of) for sentence in sentences])
    plain = tuple(word.strip(string.punctuation).lower() or word for word in words)
    known = vectors_of_words(plain, glove) if has_glove(glove) else None
    tags = tags_from_corpus(plain, tokens, known)
    vectors = neighbours_of_words(tokens.astype(np.int64), len(words)) if known is None else known
    return _Texts(tokens, tuple(str(label) for label in table[columns.label]), Vocabulary(words, vectors, tags))
