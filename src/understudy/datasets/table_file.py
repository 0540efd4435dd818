"""Table file: items from the rows of a CSV file."""

from pydantic import Field

from understudy.datasets.listed import ListedItem, sample_from_items
from understudy.registry import register
from understudy.roles import Rng, Sample
from understudy.schema import AssetPath, Record
from understudy.sources.csv_rows import table_from_csv


@register("datasets", "table_file")
class TableFile(Record):
    """Draws rows of a CSV file; some columns are shown, others are what is true of the item."""

    path: AssetPath
    shown: tuple[str, ...] = Field(min_length=1)
    attributes: tuple[str, ...] = ()

    def draw(self, n: int, rng: Rng) -> Sample:
        """Return n rows in random order, without replacement."""
        table = table_from_csv(self.path, (*self.shown, *self.attributes))
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
