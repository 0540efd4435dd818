"""Write tables as Parquet, part by part, so that memory does not grow with their length."""

import zlib
from collections.abc import Mapping, Sequence
from typing import IO, Any, Final

import numpy as np
import numpy.typing as npt

from understudy.parquet.compact import Encoded, i32, i64, listing, struct, text, varint
from understudy.parquet.values import Cells, Column, Kind, cells_of

MAGIC: Final = b"PAR1"
CREATED_BY: Final = "understudy"
# Numbers that the format gives to its types, encodings, pages and codecs.
TYPES: Final[Mapping[Kind, int]] = {"boolean": 0, "integer": 2, "number": 5, "text": 6}
PLAIN, RLE, RLE_DICTIONARY, DATA_PAGE, DICTIONARY_PAGE, GZIP, OPTIONAL, UTF8 = 0, 3, 8, 0, 2, 2, 1, 0
GZIP_WINDOW = 31
"""The number by which zlib writes and reads gzip."""


class ParquetWriter:
    """A Parquet file that parts of a table are appended to. Equal tables give equal bytes."""

    def __init__(self, stream: IO[bytes], columns: Sequence[Column]) -> None:
        self._stream, self._columns = stream, tuple(columns)
        self._position = 0
        self._parts: list[Encoded] = []
        self._n_rows = 0
        self._write(MAGIC)

    def append(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Write rows as one part."""
        cells = [cells_of([row.get(column.name) for row in rows], column.kind) for column in self._columns]
        self.append_cells(cells, len(rows))

    def append_cells(self, cells: Sequence[Cells], n_rows: int) -> None:
        """Write the cells of all columns as one part."""
        start = self._position
        chunks = [self._chunk(column, filled) for column, filled in zip(self._columns, cells, strict=True)]
        size = self._position - start
        self._parts.append(struct({1: listing(chunks), 2: i64(size), 3: i64(n_rows)}))
        self._n_rows += n_rows

    def close(self) -> None:
        """Write what follows the data; the stream stays open."""
        root = struct({4: text("schema"), 5: i32(len(self._columns))})
        fields = {
            1: i32(1),
            2: listing([root, *(_schema_of(column) for column in self._columns)]),
            3: i64(self._n_rows),
            6: text(CREATED_BY),
        }
        if not self._parts:
            self.append([])
        footer = struct(fields | {4: listing(self._parts)}).content
        self._write(footer + len(footer).to_bytes(4, "little") + MAGIC)

    def _write(self, content: bytes) -> None:
        self._stream.write(content)
        self._position += len(content)

    def _chunk(self, column: Column, cells: Cells) -> Encoded:
        """Write the pages of a column, and return what the end of the file says about them."""
        start = self._position
        n_plain = 0
        places: dict[int, Encoded] = {}
        if column.kind == "text":
            words = [word.encode() for word in cells.texts]
            dictionary = b"".join(len(word).to_bytes(4, "little") + word for word in words)
            places[11] = i64(start)
            n_plain += self._page(DICTIONARY_PAGE, dictionary, {7: struct({1: i32(len(words)), 2: i32(PLAIN)})})
        places[9] = i64(self._position)
        encoding = RLE_DICTIONARY if column.kind == "text" else PLAIN
        about = struct({1: i32(len(cells.is_there)), 2: i32(encoding), 3: i32(RLE), 4: i32(RLE)})
        levels = varint((len(cells.is_there) + 7) // 8 << 1 | 1) + _bits(cells.is_there)
        body = len(levels).to_bytes(4, "little") + levels + _values(cells, column.kind)
        n_plain += self._page(DATA_PAGE, body, {5: about})
        described = struct(
            {
                1: i32(TYPES[column.kind]),
                2: listing([i32(PLAIN), i32(RLE), i32(RLE_DICTIONARY)]),
                3: listing([text(column.name)]),
                4: i32(GZIP),
                5: i64(len(cells.is_there)),
                6: i64(n_plain),
                7: i64(self._position - start),
            }
            | places
        )
        return struct({2: i64(start), 3: described})

    def _page(self, kind: int, body: bytes, about: Mapping[int, Encoded]) -> int:
        packer = zlib.compressobj(level=1, wbits=GZIP_WINDOW)
        packed = packer.compress(body) + packer.flush()
        header = struct({1: i32(kind), 2: i32(len(body)), 3: i32(len(packed))} | dict(about)).content
        self._write(header + packed)
        return len(header) + len(body)


def _schema_of(column: Column) -> Encoded:
    fields = {1: i32(TYPES[column.kind]), 3: i32(OPTIONAL), 4: text(column.name)}
    return struct(fields | ({6: i32(UTF8)} if column.kind == "text" else {}))


def _bits(truths: npt.NDArray[np.bool_]) -> bytes:
    return np.packbits(truths, bitorder="little").tobytes()


def _values(cells: Cells, kind: Kind) -> bytes:
    if kind == "boolean":
        return _bits(cells.values)
    if kind != "text":
        return cells.values.astype("<f8" if kind == "number" else "<i8").tobytes()
    # Places are packed in groups of eight, each in whole bytes.
    n_bytes = 1 if len(cells.texts) <= 1 << 8 else 2 if len(cells.texts) <= 1 << 16 else 4
    padded = np.zeros((len(cells.values) + 7) // 8 * 8, dtype=f"<u{n_bytes}")
    padded[: len(cells.values)] = cells.values
    return bytes([8 * n_bytes]) + varint(len(padded) // 8 << 1 | 1) + padded.tobytes()
