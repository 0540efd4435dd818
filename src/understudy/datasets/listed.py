"""Listed: items written in the study file."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from pydantic import Field, JsonValue, model_validator

from understudy.registry import register
from understudy.roles import Rng, Sample
from understudy.schema import AssetPath, Json, Record
from understudy.sources.files import NamedFile, table_from_csv

SHOWN_AS_PICTURE = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg", ".avif")
"""File extensions that the page shows as pictures."""


class ListedItem(Record):
    """One item: its content and its true attributes."""

    content: Json
    attributes: dict[str, str | float | int | bool] = {}


@register("datasets", "listed")
class Listed(Record):
    """Draws from a list of items."""

    items: tuple[ListedItem, ...] = Field(min_length=1)
    files: tuple[str, ...] = ()
    """Content fields that name pictures, by their paths from the study file; these files are shipped with the study."""

    @model_validator(mode="after")
    def _files_fit(self) -> "Listed":
        for number, item in enumerate(self.items, start=1):
            for name in self.files:
                if not isinstance(item.content.get(name), str):
                    raise ValueError(
                        f"item {number} has no text in {name!r}, which is declared under files. Give it the path of a "
                        "picture, or drop the field from files."
                    )
        return self

    @model_validator(mode="after")
    def _attributes_fit(self) -> "Listed":
        named = {name for item in self.items for name in item.attributes}
        for number, item in enumerate(self.items, start=1):
            for name in sorted(named - item.attributes.keys()):
                raise ValueError(
                    f"item {number} has no attribute {name!r}, which others have. Give it to all or to none."
                )
        return self

    def draw(self, n: int, rng: Rng) -> Sample:
        """Return n of the items in random order, without replacement."""
        chosen = [self.items[int(k)] for k in rng.permutation(len(self.items))[:n]]
        return sample_from_items(chosen, files=self.files)

    @property
    def file_folder(self) -> Path | None:
        """Return None, because the files are in the folder of the study."""
        return None

    def named_files(self) -> Sequence[NamedFile]:
        """Return the declared files, and other values that the page would show as pictures."""
        return [
            NamedFile(f"item {number}", field, path, is_declared)
            for number, item in enumerate(self.items, start=1)
            for field, path, is_declared in files_in_content(item.content, self.files)
        ]


def files_in_content(content: Json, declared: Sequence[str]) -> Iterator[tuple[str, str, bool]]:
    """Yield field, path and whether it is declared, for each value that names a file or looks like one."""
    for field, value in content.items():
        if field in declared:
            yield field, str(value), True
        else:
            yield from ((field, path, False) for path in _like_pictures(value))


def _like_pictures(value: JsonValue) -> Iterator[str]:
    if isinstance(value, str) and value.lower().endswith(SHOWN_AS_PICTURE):
        yield value
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _like_pictures(part)


def sample_from_items(
    items: Sequence[ListedItem], *, files: tuple[str, ...] = (), folder: Path | None = None
) -> Sample:
    """Combine items that all have the same attributes into a sample."""
    named = items[0].attributes if items else {}
    return Sample(
        contents=[item.content for item in items],
        attributes={name: [item.attributes[name] for item in items] for name in named},
        file_fields=files,
        file_folder=folder,
    )


# Table file: items from the rows of a CSV file.


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
