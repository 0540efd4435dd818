"""Coded table: your own cases from a CSV file, with the values of each column numbered for categorical models."""

from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd
from pydantic import Field

from understudy.errors import MaterialsError
from understudy.registry import register
from understudy.roles import Rng, Sample, Variables
from understudy.schema import AssetPath, Record
from understudy.sources.cases import content_from_row
from understudy.sources.csv_rows import table_from_csv

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
