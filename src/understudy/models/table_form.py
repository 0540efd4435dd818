"""Table form: the columns and types of the table that a pipeline was fitted on, to turn codes back into such rows."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from understudy.errors import MaterialsError
from understudy.roles import Floats, Variables


class TableForm(NamedTuple):
    """The columns of a table, and the cell in each for every value of a dataset."""

    features: tuple[str, ...]
    """In the order of the dataset."""
    cells: dict[str, tuple[Any, ...]]
    """Column -> the cell for each code; columns in the order of the table."""
    kinds: dict[str, Any]
    """Column -> its type."""

    def rows(self, inputs: Floats) -> pd.DataFrame:
        """Return rows of codes as rows of the table."""
        columns = {}
        for name, known in self.cells.items():
            codes = inputs[:, self.features.index(name)].astype(np.int64)
            columns[name] = pd.Series([known[code] for code in codes], dtype=self.kinds[name])
        return pd.DataFrame(columns)

    def codes(self, frame: pd.DataFrame) -> Floats:
        """Return rows of the table as codes, or say which value the dataset does not have."""
        columns = []
        for name in self.features:
            code_of = {_key(cell): code for code, cell in enumerate(self.cells[name])}
            unknown = [cell for cell in frame[name] if _key(cell) not in code_of]
            if unknown:
                raise MaterialsError(
                    f"The example holds {unknown[0]!r} in column {name!r}, which the dataset does not have. "
                    "Take the rows of the file that the dataset reads."
                )
            columns.append(np.array([code_of[_key(cell)] for cell in frame[name]], dtype=np.float64))
        return np.column_stack(columns)

    def numbers(self) -> tuple[tuple[float, ...], ...]:
        """Return what a net takes for each code of each column: numbers as they are, words as their codes."""
        if tuple(self.cells) != self.features:
            raise MaterialsError(
                f"The columns of the example come as {', '.join(self.cells)}, but the features of the dataset as "
                f"{', '.join(self.features)}. A net does not know their names: give both in the same order."
            )
        return tuple(
            tuple(float(cell) for cell in known)
            if pd.api.types.is_numeric_dtype(self.kinds[name])
            else tuple(float(code) for code in range(len(known)))
            for name, known in self.cells.items()
        )


def form_of(frame: pd.DataFrame, legend: Variables) -> TableForm:
    """Read the form of a user's table, whose columns are the features of a dataset."""
    names = [str(column) for column in frame.columns]
    unmatched = sorted({*names} ^ {*legend.features})
    if unmatched:
        raise MaterialsError(
            f"The example has the columns {', '.join(names)}, but the dataset has the features "
            f"{', '.join(legend.features)}: only one of them has {', '.join(map(repr, unmatched))}. "
            "Give the same columns to both."
        )
    values = dict(zip(legend.features, legend.values, strict=True))
    cells = {name: _cells(frame[name], values[name]) for name in names}
    return TableForm(legend.features, cells, {name: frame[name].dtype for name in names})


def _cells(column: "pd.Series[Any]", names: tuple[str, ...]) -> tuple[Any, ...]:
    kind: Any = column.dtype
    try:
        if pd.api.types.is_bool_dtype(kind):
            return tuple({"true": True, "false": False}[name.lower()] for name in names)
        if pd.api.types.is_numeric_dtype(kind):
            return tuple(kind.type(float(name)) if name else np.nan for name in names)
    except (KeyError, TypeError, ValueError):
        raise MaterialsError(
            f"Column {column.name!r} of the example holds {kind}, but in the dataset its values are "
            f"{', '.join(map(repr, names[:5]))}. Read both from the same file."
        ) from None
    # An empty value name is a gap only if the table has gaps; otherwise it is an empty string.
    has_gaps = bool(column.isna().any())
    known = {str(cell): cell for cell in column.dropna().unique()}
    return tuple(np.nan if name == "" and has_gaps else known.get(name, name) for name in names)


def _key(cell: Any) -> Any:
    """Return a key under which all missing cells are equal."""
    return None if pd.isna(cell) else cell
