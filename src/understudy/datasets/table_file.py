"""Table file: items from the rows of a CSV file."""

from collections.abc import Sequence
from pathlib import Path

from pydantic import Field, model_validator

from understudy.datasets.listed import ListedItem, files_in_content, sample_from_items
from understudy.registry import register
from understudy.roles import Rng, Sample
from understudy.schema import AssetPath, Record
from understudy.sources.csv_rows import table_from_csv
from understudy.sources.named_files import NamedFile


@register("datasets", "table_file")
class TableFile(Record):
    """Draws rows of a CSV file; some columns are shown, and others are true attributes of the item."""

    path: AssetPath
    shown: tuple[str, ...] = Field(min_length=1)
    attributes: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    """Shown columns that name pictures, by their paths from the CSV file; these files are shipped with the study."""

    @model_validator(mode="after")
    def _files_are_shown(self) -> "TableFile":
        hidden = [name for name in self.files if name not in self.shown]
        if hidden:
            raise ValueError(
                f"column {hidden[0]!r} is declared under files, but not shown. Shown: {', '.join(self.shown)}."
            )
        return self

    def draw(self, n: int, rng: Rng) -> Sample:
        """Return n rows in random order, without replacement."""
        items = self._items()
        drawn = [items[int(k)] for k in rng.permutation(len(items))[:n]]
        return sample_from_items(drawn, files=self.files, folder=self.file_folder)

    @property
    def file_folder(self) -> Path:
        """Return the folder of the table, where the files are."""
        return Path(self.path).parent

    def named_files(self) -> Sequence[NamedFile]:
        """Return the declared files, and other values that the page would show as pictures."""
        return [
            NamedFile(f"row {number}", column, path, is_declared)
            for number, item in enumerate(self._items(), start=2)
            for column, path, is_declared in files_in_content(item.content, self.files)
        ]

    def _items(self) -> list[ListedItem]:
        table = table_from_csv(self.path, (*self.shown, *self.attributes))
        return [
            ListedItem(
                content={name: str(row[name]) for name in self.shown},
                attributes={name: str(row[name]) for name in self.attributes},
            )
            for row in table.to_dict("records")
        ]
