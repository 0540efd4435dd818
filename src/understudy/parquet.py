"""Parquet: tables written and read without a library, as far as a file's bytes go."""

import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Final, Literal, NamedTuple, TypeAlias, cast

import numpy as np
import numpy.typing as npt
import pandas as pd

from understudy.errors import TableError, optional

Decoded: TypeAlias = "int | bytes | list[Decoded] | dict[int, Decoded]"


class Encoded(NamedTuple):
    """A value with the number of its type."""

    type: int
    content: bytes


_TRUE, _FALSE, _I32, _I64, _BINARY, _LIST, _STRUCT = 1, 2, 5, 6, 8, 9, 12


def varint(value: int) -> bytes:
    """Return a number from 0 in as few bytes as it needs."""
    written = bytearray()
    while value > 0x7F:
        written.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*written, value])


def i32(value: int) -> Encoded:
    """Return a small whole number from 0."""
    return Encoded(_I32, varint(value << 1))


def i64(value: int) -> Encoded:
    """Return a whole number from 0."""
    return Encoded(_I64, varint(value << 1))


def text(value: str) -> Encoded:
    """Return a text."""
    content = value.encode()
    return Encoded(_BINARY, varint(len(content)) + content)


def listing(items: Sequence[Encoded]) -> Encoded:
    """Return a list of values of one type, at least one."""
    size = (
        bytes([len(items) << 4 | items[0].type])
        if len(items) < 15
        else bytes([0xF0 | items[0].type]) + varint(len(items))
    )
    return Encoded(_LIST, size + b"".join(item.content for item in items))


def struct(fields: Mapping[int, Encoded]) -> Encoded:
    """Return a record of numbered fields, in the order of their numbers."""
    written, before = bytearray(), 0
    for number, field in sorted(fields.items()):
        written.append((number - before) << 4 | field.type)
        written += field.content
        before = number
    return Encoded(_STRUCT, bytes(written) + b"\0")


class CompactReader:
    """Reads values one after the other."""

    def __init__(self, content: bytes, position: int = 0) -> None:
        self.position = position
        self._content = content

    def struct(self) -> dict[int, Decoded]:
        """Read a record as its fields by number."""
        fields: dict[int, Decoded] = {}
        number = 0
        while head := self._byte():
            number = number + (head >> 4) if head >> 4 else self._whole()
            fields[number] = self._value(head & 0x0F)
        return fields

    def _value(self, kind: int) -> Decoded:
        if kind in (_TRUE, _FALSE):
            return int(kind == _TRUE)
        if kind in (_I32, _I64):
            return self._whole()
        if kind == _BINARY:
            size = self._varint()
            self.position += size
            return self._content[self.position - size : self.position]
        if kind == _LIST:
            head = self._byte()
            size = self._varint() if head >> 4 == 0x0F else head >> 4
            if size > len(self._content) - self.position:
                raise IndexError("a list is longer than the rest of the file")
            return [self._value(head & 0x0F) for _ in range(size)]
        if kind == _STRUCT:
            return self.struct()
        raise ValueError(f"a header has a value of type {kind}, which is not expected in it")

    def _byte(self) -> int:
        self.position += 1
        return self._content[self.position - 1]

    def _varint(self) -> int:
        value = shift = 0
        while (byte := self._byte()) & 0x80:
            value |= (byte & 0x7F) << shift
            shift += 7
        return value | byte << shift

    def _whole(self) -> int:
        zigzag = self._varint()
        return zigzag >> 1 ^ -(zigzag & 1)


# Columns of a table: what Python gives, what a file holds, and what a data frame shows.

Kind: TypeAlias = Literal["text", "number", "integer", "boolean"]


class Column(NamedTuple):
    """The name of a column and what its cells are."""

    name: str
    kind: Kind


class Cells(NamedTuple):
    """The cells of a column: which are there, and the values of those, as numbers or as places in a list of texts."""

    is_there: npt.NDArray[np.bool_]
    values: npt.NDArray[Any]
    texts: tuple[str, ...] = ()


_TYPES: Mapping[Kind, Any] = {"number": np.float64, "integer": np.int64, "boolean": np.bool_, "text": np.int64}


def cells_of(values: Sequence[Any], kind: Kind) -> Cells:
    """Return values of Python, None where one is missing, as cells."""
    is_there = np.fromiter((value is not None for value in values), dtype=np.bool_, count=len(values))
    there = [value for value in values if value is not None]
    if kind != "text":
        return Cells(is_there, np.array(there, dtype=_TYPES[kind]))
    places: dict[str, int] = {}
    numbers = [places.setdefault(value, len(places)) for value in there]
    return Cells(is_there, np.array(numbers, dtype=np.int64), tuple(places))


def shown(cells: Cells, kind: Kind, *, categories: bool = True) -> Any:
    """Return cells as a column of a data frame.

    Texts become categories, or objects where a column of plain texts is wished. Whole numbers of which some are missing
    become floating-point numbers, and truths objects, as pandas does.
    """
    n = len(cells.is_there)
    if kind == "text":
        codes = np.full(n, -1, dtype=np.int64)
        codes[cells.is_there] = cells.values
        texts = pd.Index(cells.texts, dtype="str" if cells.texts else "object")
        column = pd.Categorical.from_codes(codes, categories=texts)
        return column if categories else column.astype("str" if cells.texts else "object")
    if cells.is_there.all():
        return cells.values
    filled = np.full(n, None, dtype=object) if kind == "boolean" else np.full(n, np.nan)
    filled[cells.is_there] = cells.values
    return filled


def frame_of(columns: Iterable[Column], rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Return rows as a data frame, as a file of them would be read."""
    cells = {
        column.name: shown(cells_of([row.get(column.name) for row in rows], column.kind), column.kind)
        for column in columns
    }
    return pd.DataFrame(cells, index=pd.RangeIndex(len(rows)))


# Write tables as Parquet, part by part, so that memory does not grow with their length.

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


# Read the Parquet files that `ParquetWriter` writes, part by part and column by column.

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
        values = _reader_values(body[4 + n_level_bytes :], int(is_there.sum()), column.kind)
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


def _reader_values(content: bytes, n: int, kind: Kind) -> Any:
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


# Data frames as Parquet files, and Parquet files of any program as data frames.

_ROWS_OF_A_PART = 50_000


def write_frame(frame: pd.DataFrame, stream: IO[bytes]) -> None:
    """Write a data frame without its index; a column of several kinds is refused."""
    columns = [Column(str(name), _kind(frame.iloc[:, place])) for place, name in enumerate(frame.columns)]
    writer = ParquetWriter(stream, columns)
    for start in range(0, len(frame), _ROWS_OF_A_PART):
        part = frame.iloc[start : start + _ROWS_OF_A_PART]
        writer.append_cells(
            [_cells(part.iloc[:, place], column.kind) for place, column in enumerate(columns)], len(part)
        )
    writer.close()


def read_frame(path: Path) -> pd.DataFrame:
    """Return a table that understudy or, with the extra `parquet`, any other program wrote; texts are plain texts."""
    try:
        with ParquetReader(path) as reader:
            return reader.frame(categories=False)
    except ForeignParquet:
        optional("pyarrow", extra="parquet")
        about = optional("pyarrow.parquet", extra="parquet").read_metadata(path)
        require_readable_size(about.num_rows, about.num_columns)
        return pd.read_parquet(path)


def frame_from_file(path: Path) -> pd.DataFrame:
    """Return a table that understudy wrote; texts become categories, which are small and fast."""
    with ParquetReader(path) as reader:
        return reader.frame()


def _kind(column: "pd.Series[Any]") -> Kind:
    if pd.api.types.is_bool_dtype(column.dtype):
        return "boolean"
    if pd.api.types.is_integer_dtype(column.dtype):
        return "integer"
    if pd.api.types.is_numeric_dtype(column.dtype):
        return "number"
    if column.dtype != object:
        return "text"
    kinds = {type(value) for value in column[column.notna()]}
    if all(issubclass(kind, bool | np.bool_) for kind in kinds) and kinds:
        return "boolean"
    if all(issubclass(kind, int | np.integer) and kind is not bool for kind in kinds) and kinds:
        return "integer"
    if all(issubclass(kind, int | float | np.number) and kind is not bool for kind in kinds) and kinds:
        return "number"
    if all(issubclass(kind, str) for kind in kinds):
        return "text"
    names = ", ".join(sorted(kind.__name__ for kind in kinds))
    raise TableError(
        f"The column {str(column.name)!r} holds values of several kinds ({names}) and cannot become Parquet."
    )


def _cells(column: "pd.Series[Any]", kind: Kind) -> Cells:
    is_there = column.notna().to_numpy()
    there = column[is_there]
    if kind == "text":
        filled = np.full(len(column), None, dtype=object)
        filled[is_there] = [str(value) for value in there]
        return cells_of(list(filled), kind)
    types = {"boolean": np.bool_, "integer": np.int64, "number": np.float64}
    return Cells(is_there, there.to_numpy(dtype=types[kind]))
