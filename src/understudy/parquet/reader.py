"""Read the Parquet files that `ParquetWriter` writes, part by part and column by column."""

import zlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import numpy as np
import pandas as pd

from understudy.parquet.compact import CompactReader
from understudy.parquet.values import Cells, Column, Kind, shown
from understudy.parquet.writer import CREATED_BY, GZIP_WINDOW, MAGIC, TYPES

_KINDS = {number: kind for kind, number in TYPES.items()}

MOST_CELLS = 200_000_000
"""Cells of the largest table that is read. A small file can claim or unpack to more than any computer holds."""
_MOST_PAGE_BYTES = 2 * 1024**3


class ForeignParquet(ValueError):
    """A Parquet file that another program wrote."""


def require_readable_size(n_rows: int, n_columns: int) -> None:
    """Refuse a table with more cells than are ever read."""
    if n_rows * n_columns > MOST_CELLS:
        raise ValueError(
            f"it says that it holds {n_rows:,} rows of {n_columns} columns, and at most {MOST_CELLS:,} cells are read; "
            "write the rows and columns that you need into a smaller file"
        )


@contextmanager
def _as_damage() -> Iterator[None]:
    """Turn what a header that was changed leads to into one fault."""
    try:
        yield
    except (LookupError, TypeError, AttributeError, OverflowError, RecursionError, MemoryError, zlib.error):
        raise ValueError("it is damaged: its parts do not fit together") from None


class ParquetReader:
    """An open file; use it in a `with` block."""

    def __init__(self, path: Path) -> None:
        self._stream = path.open("rb")
        try:
            about = self._footer(path)
        except BaseException:
            self._stream.close()
            raise
        try:
            with _as_damage():
                self.columns = tuple(Column(element[4].decode(), _KINDS[element[1]]) for element in about[2][1:])
                self._parts: list[dict[int, Any]] = about[4]
                n_rows = sum(abs(part[3]) for part in self._parts)
            require_readable_size(n_rows, len(self.columns))
        except BaseException:
            self._stream.close()
            raise

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
            part[3],
            {place: self._cells(part, place) for place in wanted},
            categories,
        )

    def frame(self, *, categories: bool = True) -> pd.DataFrame:
        """Return all parts as one table; texts have one list of categories."""
        parts = [[self._cells(part, place) for part in self._parts] for place in range(len(self.columns))]
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
        with _as_damage():
            return cast("dict[int, Any]", CompactReader(footer).struct())

    def _cells(self, part: dict[int, Any], place: int) -> Cells:
        with _as_damage():
            return self._read_cells(part[1][place][3], self.columns[place], part[3])

    def _read_cells(self, about: dict[int, Any], column: Column, n_rows: int) -> Cells:
        self._stream.seek(about.get(11, about[9]))
        content = self._stream.read(about[7])
        texts: tuple[str, ...] = ()
        position = 0
        if column.kind == "text":
            header, words, position = _page(content, position)
            if header[7][1] > len(words) // 4:
                raise ValueError(f"its column {column.name!r} claims {header[7][1]:,} texts, which it does not hold")
            texts = tuple(_texts(words, header[7][1]))
        header, body, _ = _page(content, position)
        n = header[5][1]
        n_level_bytes, n_bit_bytes = int.from_bytes(body[:4], "little"), (n + 7) // 8
        # Believed only as far as the bytes that are there, since memory is taken for what is claimed.
        if n != n_rows or not n_bit_bytes <= n_level_bytes <= len(body) - 4:
            raise ValueError(f"its column {column.name!r} claims {n:,} cells, which it does not hold")
        levels = np.frombuffer(body[4 + n_level_bytes - n_bit_bytes : 4 + n_level_bytes], dtype=np.uint8)
        is_there = np.unpackbits(levels, count=n, bitorder="little").astype(np.bool_)
        values = _values(body[4 + n_level_bytes :], int(is_there.sum()), column.kind)
        if column.kind == "text" and len(values) and values.max() >= len(texts):
            raise LookupError("a cell names a text that is not there")
        return Cells(is_there, values, texts)


def _page(content: bytes, position: int) -> tuple[dict[int, Any], bytes, int]:
    reader = CompactReader(content, position)
    header = cast("dict[int, Any]", reader.struct())
    end = reader.position + header[3]
    return header, _unpacked(content[reader.position : end], header[2]), end


def _unpacked(content: bytes, n_bytes: int) -> bytes:
    """Return the content of a page, which is as long as it says."""
    if not 0 <= n_bytes <= _MOST_PAGE_BYTES:
        raise ValueError(f"a page of it unpacks to {n_bytes:,} bytes, and at most {_MOST_PAGE_BYTES:,} are read")
    body = zlib.decompressobj(wbits=GZIP_WINDOW).decompress(content, n_bytes + 1)
    if len(body) != n_bytes:
        raise ValueError("a page of it is not as long as it says")
    return body


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
