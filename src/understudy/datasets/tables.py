"""Tables of your own: cases and texts from a CSV file."""

import os
import string
from functools import cache
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd
from pydantic import Field

from understudy.errors import MaterialsError
from understudy.registry import register
from understudy.roles import Floats, Ints, Rng, Sample, Variables, Vocabulary
from understudy.schema import AssetPath, Record
from understudy.sources.cases import content_from_row, padded, trimmed
from understudy.sources.files import data_folder, table_from_csv
from understudy.sources.words import (
    has_glove,
    ids_from_tokens,
    neighbours_of_words,
    tags_from_corpus,
    vectors_of_words,
    words_by_frequency,
)

MAX_VALUES = 50
"""More values than this are too many categories for a person to learn."""
MAX_NUMBERS = 1000
"""More distinct numbers than this are finer than people read; edits compare all pairs of values."""
RowNumbers: TypeAlias = npt.NDArray[np.int64]


@register("datasets", "coded_table")
class CodedTable(Record):
    """Draws rows of a CSV file, without replacement, and numbers the values of each feature."""

    path: AssetPath
    features: tuple[str, ...] = Field(min_length=1)
    """The columns that are shown and that the model reads; values are numbered in alphabetical order."""
    label: str
    """The column with the true label."""
    numbers: tuple[str, ...] = ()
    """Features that are numbers: ordered by size, with up to 1,000 distinct values."""

    def draw(self, n: int, rng: Rng) -> Sample:
        """Return n rows with their labels."""
        table = self._table()
        return self._sample(table, rng.permutation(len(table))[:n])

    def whole(self) -> Sample:
        """Return every row, in the order of the file."""
        table = self._table()
        return self._sample(table, np.arange(len(table)))

    def _sample(self, table: pd.DataFrame, rows: RowNumbers) -> Sample:
        legend = Variables(self.features, tuple(self._values(name, table) for name in self.features))
        self._require_few(legend)
        chosen = table.iloc[rows]
        columns = []
        for name, known in zip(legend.features, legend.values, strict=True):
            code_of = {value: code for code, value in enumerate(known)}
            columns.append(np.array([code_of[value] for value in chosen[name]], dtype=np.float64))
        inputs = np.column_stack(columns)
        return Sample(
            contents=[content_from_row(row, legend) for row in inputs],
            attributes={"label": [str(label) for label in chosen[self.label]]},
            inputs=inputs,
            legend=legend,
        )

    def _values(self, name: str, table: pd.DataFrame) -> tuple[str, ...]:
        texts = sorted(str(value) for value in table[name].unique())
        if name not in self.numbers:
            return tuple(texts)
        # An empty field is a missing number, and comes first.
        sizes = pd.to_numeric(pd.Series([text or "-inf" for text in texts]), errors="coerce")
        odd = [text for text, size in zip(texts, sizes, strict=True) if np.isnan(size)]
        if odd:
            raise MaterialsError(
                f"{name!r} of {self.path!r} is declared as numbers, but contains {odd[0]!r}. "
                "Write numbers only, an empty field where one is missing, or leave the column out of `numbers`."
            )
        return tuple(texts[index] for index in np.argsort(sizes, kind="stable"))

    def _require_few(self, legend: Variables) -> None:
        sizes = {name: len(values) for name, values in zip(legend.features, legend.values, strict=True)}
        crowded = [name for name in sizes if name not in self.numbers and sizes[name] > MAX_VALUES]
        if crowded:
            have = "have" if len(crowded) > 1 else "has"
            raise MaterialsError(
                f"{', '.join(map(repr, crowded))} of {self.path!r} {have} more than {MAX_VALUES} values. "
                "List columns of numbers under `numbers`, write ranges instead, or leave the column out."
            )
        fine = [name for name in sizes if sizes[name] > MAX_NUMBERS]
        if fine:
            raise MaterialsError(
                f"{', '.join(map(repr, fine))} of {self.path!r} {'have' if len(fine) > 1 else 'has'} more than "
                f"{MAX_NUMBERS:,} different numbers. Round them as people should read them."
            )

    def _table(self) -> pd.DataFrame:
        table = table_from_csv(self.path, (*self.features, self.label))
        unshown = [name for name in self.numbers if name not in self.features]
        if unshown:
            raise MaterialsError(
                f"{', '.join(map(repr, unshown))} of `numbers` is not a feature. Features are: {', '.join(self.features)}."
            )
        return table


# Text table: your own sentences from a CSV file, split at spaces for text models.


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
