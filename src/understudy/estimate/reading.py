"""Read tables from disk, and explain what is wrong with them."""

from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd

from understudy.errors import TableError, refuse_large
from understudy.parquet import read_frame

BLANK = ["", "NA", "NaN", "nan"]
"""Texts for a missing value; words such as "None" may be levels and are kept."""
_MOST_MB = 1024
_TRUTH = {"True": 1.0, "true": 1.0, "TRUE": 1.0, "False": 0.0, "false": 0.0, "FALSE": 0.0}


def table_from_file(path: Path) -> pd.DataFrame:
    """Read a CSV or Parquet table; cells of a CSV file stay as they are written."""
    if not path.is_file():
        raise TableError(f"There is no file {path}. Give the path of a .csv or .parquet table.")
    if path.suffix not in (".csv", ".parquet"):
        raise TableError(f"{path} ends in {path.suffix or 'nothing'!r}, but a table is a .csv or .parquet file.")
    refuse_large(path, _MOST_MB, TableError, "Take out columns that the plan does not read, or analyse parts of it.")
    try:
        frame = read_frame(path) if path.suffix == ".parquet" else _rows_of_csv(path)
    except UnicodeDecodeError:
        raise TableError(
            f"{path} is not written in UTF-8, so letters beyond a to z would be guessed. Save it as CSV in UTF-8."
        ) from None
    except (ValueError, OSError) as error:
        reason = str(error).splitlines()[0]
        raise TableError(f"{path} cannot be read as {path.suffix[1:].upper()}: {reason}") from None
    if frame.empty:
        raise TableError(f"{path} has no rows; a table needs a line of headings and at least one row.")
    frame.columns = [str(name) for name in frame.columns]
    return frame


def _rows_of_csv(path: Path) -> pd.DataFrame:
    """Read a CSV file whose lines fit its headings; reject anything that would have to be guessed."""
    # Read as text: ids such as 007 and levels such as True must stay as written.
    frame = pd.read_csv(path, dtype=str, keep_default_na=False, na_values=BLANK, encoding="utf-8-sig")
    # pandas renames repeated headings, so they are read a second time as data.
    headings = list(pd.read_csv(path, header=None, nrows=1, dtype=str, encoding="utf-8-sig").loc[0].dropna())
    for sign, name in {";": "semicolons", "\t": "tabs"}.items():
        if len(frame.columns) == 1 and sign in str(frame.columns[0]):
            raise TableError(
                f"{path} is separated by {name}. Save it with commas between cells and a point in decimal numbers."
            )
    # pandas takes surplus cells as an index.
    if not isinstance(frame.index, pd.RangeIndex):
        raise TableError(f"{path} has rows with more cells than there are headings. Give every column its heading.")
    repeated = [heading for heading, n in Counter(headings).items() if n > 1]
    if repeated:
        raise TableError(f"{path} has several columns called {', '.join(map(repr, repeated))}. Give each its own name.")
    return frame


def typed_columns(frame: pd.DataFrame) -> pd.DataFrame:
    """Convert each column of numbers to numbers, and any other to text."""
    return frame.apply(_typed)


def _typed(column: "pd.Series[Any]") -> "pd.Series[Any]":
    if pd.api.types.is_bool_dtype(column) or pd.api.types.is_numeric_dtype(column):
        return column.astype(float)
    text = column.astype("str")
    known = text.dropna()
    if len(known) and known.isin(_TRUTH).all():
        return text.map(_TRUTH).astype(float)
    numbers = pd.to_numeric(known, errors="coerce")
    return pd.to_numeric(text).astype(float) if numbers.notna().all() else text
