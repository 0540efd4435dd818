"""CSV rows: a table of text from a file of the study, with the columns that an entry names."""

from __future__ import annotations

from pathlib import Path

from understudy.deferred.pandas import pd
from understudy.errors import MaterialsError, refuse_large
from understudy.sources.csv_text import plain_text


def table_from_csv(path: str, columns: tuple[str, ...]) -> pd.DataFrame:
    """Read a file, every value as text, and refuse one without these columns."""
    refuse_large(Path(path), 256, MaterialsError, "Leave out rows and columns that the study does not need.")
    try:
        table = pd.read_csv(Path(path), dtype=str, keep_default_na=False).map(plain_text)
    except (OSError, ValueError) as error:
        raise MaterialsError(f"Items cannot be read from {path!r}: {error}. Give the path of a CSV file.") from None
    absent = [name for name in columns if name not in table.columns]
    if absent:
        raise MaterialsError(
            f"{path!r} has no column {', '.join(map(repr, absent))}. Its columns are: {', '.join(table.columns)}."
        )
    return table
