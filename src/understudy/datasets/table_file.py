"""Table file: items from the rows of a CSV file."""

from pathlib import Path

import pandas as pd
from pydantic import Field

from understudy.datasets.listed import ListedItem, sample_from_items
from understudy.errors import MaterialsError
from understudy.registry import register
from understudy.roles import Rng, Sample
from understudy.schema import AssetPath, Record


@register("datasets", "table_file")
class TableFile(Record):
    """Draws rows of a CSV file; some columns are shown, others are what is true of the item."""

    path: AssetPath
    shown: tuple[str, ...] = Field(min_length=1)
    attributes: tuple[str, ...] = ()

    def draw(self, n: int, rng: Rng) -> Sample:
        """Return n rows in random order, without replacement."""
        try:
            table = pd.read_csv(Path(self.path), dtype=str, keep_default_na=False)
        except (OSError, ValueError) as error:
            raise MaterialsError(
                f"Items cannot be read from {self.path!r}: {error}. Give the path of a CSV file."
            ) from None
        absent = [name for name in (*self.shown, *self.attributes) if name not in table.columns]
        if absent:
            raise MaterialsError(
                f"{self.path!r} has no column {', '.join(map(repr, absent))}. "
                f"Its columns are: {', '.join(table.columns)}."
            )
        rows = [table.iloc[int(k)] for k in rng.permutation(len(table))[:n]]
        return sample_from_items(
            [
                ListedItem(
                    content={name: str(row[name]) for name in self.shown},
                    attributes={name: str(row[name]) for name in self.attributes},
                )
                for row in rows
            ]
        )
