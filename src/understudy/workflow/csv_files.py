"""CSV files that people filled in: read as text, whatever a spreadsheet made of them."""

import csv
import io
from pathlib import Path

from understudy.errors import TableError, refuse_large

Row = dict[str, str]


def rows_in_csv(path: Path, needed: tuple[str, ...], origin: str) -> list[Row]:
    """Return the rows of a file, empty cells as empty texts; `origin` names the command that writes such a file."""
    refuse_large(path, 64, TableError, f"Check that it is the file that {origin} wrote.")
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise TableError(f"{path} is not UTF-8 text; save it as CSV UTF-8.") from None
    # Spreadsheets of many countries write semicolons between cells, and so the first line decides.
    head = text.partition("\n")[0]
    delimiter = ";" if head.count(";") > head.count(",") else ","
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter)
    columns = reader.fieldnames or ()
    missing = [name for name in needed if name not in columns]
    if missing:
        raise TableError(
            f"{path} has no column {missing[0]!r}; it needs {' and '.join(needed)}, as {origin} writes them."
        )
    return [{name: value or "" for name, value in row.items() if name} for row in reader]
