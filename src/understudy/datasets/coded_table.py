"""Coded table: cases of one's own from a CSV file, each column a category, as models of categories take them."""

import numpy as np
from pydantic import Field

from understudy.classifiers.cases import content_from_row
from understudy.datasets.csv_rows import table_from_csv
from understudy.errors import MaterialsError
from understudy.registry import register
from understudy.roles import Rng, Sample, Variables
from understudy.schema import AssetPath, Record

MAX_VALUES = 50
"""More values than this are no categories that a person could learn."""


@register("datasets", "coded_table")
class CodedTable(Record):
    """Draws rows of a CSV file, without replacement, and numbers the values of each feature."""

    path: AssetPath
    features: tuple[str, ...] = Field(min_length=1)
    """The columns that are shown and that the model takes; values are numbered in the order of the alphabet."""
    label: str
    """The column with the true label."""

    def draw(self, n: int, rng: Rng) -> Sample:
        """Return n rows with their labels."""
        table = table_from_csv(self.path, (*self.features, self.label))
        values = tuple(tuple(sorted(table[name].unique())) for name in self.features)
        crowded = [name for name, known in zip(self.features, values, strict=True) if len(known) > MAX_VALUES]
        if crowded:
            raise MaterialsError(
                f"{', '.join(map(repr, crowded))} of {self.path!r} has more than {MAX_VALUES} values. "
                "Write ranges instead of numbers, or leave the column out."
            )
        legend = Variables(self.features, values)
        chosen = table.iloc[rng.permutation(len(table))[:n]]
        codes = [
            np.array([known.index(value) for value in chosen[name]], dtype=np.float64)
            for name, known in zip(self.features, values, strict=True)
        ]
        inputs = np.column_stack(codes)
        return Sample(
            contents=[content_from_row(row, legend) for row in inputs],
            attributes={"label": [str(one) for one in chosen[self.label]]},
            inputs=inputs,
            legend=legend,
        )
