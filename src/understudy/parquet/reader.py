"""Read the Parquet files that `ParquetWriter` writes, part by part and column by column."""

from collections.abc import Collection
from pathlib import Path
from typing import Any, cast

import numpy as np
import pandas as pd

from understudy.parquet.compact import CompactReader
from understudy.parquet.values import Cells, Column, Kind, shown
from understudy.parquet.writer import CREATED_BY, MAGIC, TYPES, unpacked

_KINDS = {number: kind for kind, number in TYPES.items()}


class ForeignParquet(ValueError):
    """A Parquet file that another program wrote."""


class ParquetReader:
    """An open file; use it in a `with` block."""

    def __init__(self, path: Path) -> None:
        self._stream = path.open("rb")
        try:
            about = self._footer(path)
        except BaseException:
            self._stream.close()
            raise
        self.columns = tuple(Column(element[4].decode(), _KINDS[element[1]]) for element in about[2][1:])
        self._parts: list[dict[int, Any]] = about[4]

    def __enter__(self) -> "ParquetReader":
        """Return the open file."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the file."""
        self._stream.close()

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return [column.name for column in self.columns]

    @property
    def n_parts(self) -> int:
        """How many parts there are, at least one."""
        return len(self._parts)

    def part(self, number: int, names: Collection[str] | None = None, *, categories: bool = True) -> pd.DataFrame:
        """Return the chosen columns of a part, or all."""
        part = self._parts[number]
        wanted = [place for place, name in enumerate(self.names) if names is None or name in names]
        return self._frame(
            part[3], {place: self._cells(part[1][place][3], self.columns[place]) for place in wanted}, categories
        )

    def frame(self, *, categories: bool = True) -> pd.DataFrame:
        """Return all parts as one table; texts have one list of categories."""
        parts = [
            [self._cells(part[1][place][3], column) for part in self._parts]
            for place, column in enumerate(self.columns)
        ]
        n_rows = sum(part[3] for part in self._parts)
        joined = {place: _joined(cells, self.columns[place].kind) for place, cells in enumerate(parts)}
        return self._frame(n_rows, joined, categories)

    def _frame(self, n_rows: int, cells: dict[int, Cells], categories: bool) -> pd.DataFrame:
        chosen = {place: self.columns[place] for place in cells}
        values = {
            column.name: shown(cells[place], column.kind, categories=categories) for place, column in chosen.items()
        }
        return pd.DataFrame(values, index=pd.RangeIndex(n_rows))

    def _footer(self, path: Path) -> dict[int, Any]:
        size = path.stat().st_size
        self._stream.seek(max(size - 8, 0))
        tail = self._stream.read()
        length = int.from_bytes(tail[:4], "little")
        if size < 12 or tail[4:] != MAGIC or length > size - 12:
            raise ValueError("it does not end as a Parquet file does")
        self._stream.seek(size - 8 - length)
        footer = self._stream.read(length)
        # Looked at before it is read: others write types of values that our own headers never have.
        if not footer.endswith(CREATED_BY.encode() + b"\0"):
            raise ForeignParquet("another program wrote it")
        return cast("dict[int, Any]", CompactReader(footer).struct())

    def _cells(self, about: dict[int, Any], column: Column) -> Cells:
        first = about.get(11, about[9])
        self._stream.seek(first)
        content = self._stream.read(about[7])
        texts: tuple[str, ...] = ()
        position = 0
        if column.kind == "text":
            header, words, position = _page(content, position)
            texts = tuple(_texts(words, header[7][1]))
        header, body, _ = _page(content, position)
        n = header[5][1]
        n_level_bytes = int.from_bytes(body[:4], "little")
        levels = np.frombuffer(body[4 + n_level_bytes - (n + 7) // 8 : 4 + n_level_bytes], dtype=np.uint8)
        is_there = np.unpackbits(levels, count=n, bitorder="little").astype(np.bool_)
        return Cells(is_there, _values(body[4 + n_level_bytes :], int(is_there.sum()), column.kind), texts)


def _page(content: bytes, position: int) -> tuple[dict[int, Any], bytes, int]:
    reader = CompactReader(content, position)
    header = cast("dict[int, Any]", reader.struct())
    end = reader.position + header[3]
    return header, unpacked(content[reader.position : end]), end


def _texts(content: bytes, n: int) -> list[str]:
    texts, position = [], 0
    for _ in range(n):
        size = int.from_bytes(content[position : position + 4], "little")
        texts.append(content[position + 4 : position + 4 + size].decode())
        position += 4 + size
    return texts


def _values(content: bytes, n: int, kind: Kind) -> Any:
    if kind == "boolean":
        return np.unpackbits(np.frombuffer(content, dtype=np.uint8), count=n, bitorder="little").astype(np.bool_)
    if kind != "text":
        return np.frombuffer(content, dtype="<f8" if kind == "number" else "<i8", count=n)
    # The places end the page, padded to groups of eight.
    n_bytes = content[0] // 8
    packed = content[len(content) - (n + 7) // 8 * 8 * n_bytes :] if n else b""
    return np.frombuffer(packed, dtype=f"<u{n_bytes}", count=n).astype(np.int64)


def _joined(parts: list[Cells], kind: Kind) -> Cells:
    """Return the cells of all parts, with the texts of all in the order in which they first appear."""
    places: dict[str, int] = {}
    values = []
    for part in parts:
        here = np.array([places.setdefault(word, len(places)) for word in part.texts], dtype=np.int64)
        values.append(here[part.values] if kind == "text" else part.values)
    return Cells(np.concatenate([part.is_there for part in parts]), np.concatenate(values), tuple(places))
