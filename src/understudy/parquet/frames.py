"""Data frames as Parquet files, and Parquet files of any program as data frames."""

from pathlib import Path
from typing import IO, Any

import numpy as np
import pandas as pd

from understudy.errors import TableError
from understudy.extras import optional
from understudy.parquet.reader import ForeignParquet, ParquetReader, require_readable_size
from understudy.parquet.values import Cells, Column, Kind, cells_of
from understudy.parquet.writer import ParquetWriter

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
