"""CSV text: the one way to write tables that people open; cells that a spreadsheet would run as a formula are marked as text."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import IO

from understudy.deferred.pandas import pd

_TRIGGERS = ("=", "+", "-", "@", "\t", "\n", "＝", "＋", "－", "＠")
"""The wide forms are formulas in spreadsheets of East Asian languages."""
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


def safe_text(value: object) -> object:
    """Return a cell that no spreadsheet takes for a formula; numbers stay what they are.

    Participants write texts, and a text such as =HYPERLINK(...) would run on the computer of the researcher who opens
    the table. An apostrophe in front makes it text.
    """
    if not isinstance(value, str):
        return value
    # A lone carriage return is not quoted by CSV writers, but ends the row for readers.
    text = value.replace("\r\n", "\n").replace("\r", "\n")
    return f"'{text}" if text.startswith(_TRIGGERS) and _NUMBER.fullmatch(text) is None else text


def plain_text(cell: str) -> str:
    """Return a cell as it was before `safe_text` marked it, so that names of files and classes come back as they are."""
    return cell[1:] if cell.startswith("'") and safe_text(cell[1:]) == cell else cell


def safe_frame(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a table whose texts are safe in a spreadsheet."""
    texts = [name for name in frame.columns if not pd.api.types.is_numeric_dtype(frame[name])]
    safe = {name: frame[name].astype(object).map(safe_text) for name in texts}
    return frame.assign(**safe).rename(columns=safe_text) if safe else frame.rename(columns=safe_text)


def csv_text(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return rows as CSV text that is safe in a spreadsheet."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(head)
    writer.writerows([safe_text(cell) for cell in row] for row in rows)
    return buffer.getvalue()


def frame_text(frame: pd.DataFrame) -> str:
    """Return a table as CSV text that is safe in a spreadsheet."""
    text = io.StringIO()
    write_csv(frame, text)
    return text.getvalue()


def write_csv(frame: pd.DataFrame, target: Path | IO[str], *, has_head: bool = True) -> None:
    """Write a table as CSV that is safe in a spreadsheet."""
    safe_frame(frame).to_csv(target, index=False, header=has_head, lineterminator="\n")
