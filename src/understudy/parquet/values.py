"""Columns of a table: what Python gives, what a file holds, and what a data frame shows."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

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
