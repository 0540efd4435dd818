"""Texts of participants never run in the researcher's spreadsheet."""

import io
import re
from pathlib import Path

import pandas as pd
import pytest

from understudy.report.archive import CsvEntry
from understudy.sources.csv_text import csv_text, safe_text, write_csv
from understudy.sources.files import table_from_csv

EVIL = ["=HYPERLINK(1)", "＝1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", "\n=1"]


@pytest.mark.parametrize("text", EVIL)
def test_a_formula_becomes_text(text: str) -> None:
    assert safe_text(text) == f"'{text}"


@pytest.mark.parametrize("value", ["-5", "+1.5e3", "a = b", "", "x-1", None, -3, 2.5])
def test_numbers_and_plain_texts_stay_as_they_are(value: object) -> None:
    assert safe_text(value) == value


def test_a_return_cannot_begin_a_row_of_its_own() -> None:
    assert (safe_text("\r=1"), safe_text("good\r\n=1")) == ("'\n=1", "good\n=1")


def test_every_table_of_an_archive_is_safe() -> None:
    stream = io.BytesIO()
    CsvEntry(pd.DataFrame({"answer.why": [*EVIL, "\r=1", None], "score": [-1.5] * (len(EVIL) + 2)})).write(stream)
    read = pd.read_csv(io.BytesIO(stream.getvalue()))
    assert not read["answer.why"].dropna().str.startswith(("=", "＝", "+", "-", "@", "\t", "\n")).any()
    assert read["score"].tolist() == [-1.5] * (len(EVIL) + 2)
    assert csv_text(("id", "n"), [("=1+1", 2)]) == "id,n\n'=1+1,2\n"


def test_every_table_that_people_open_is_written_in_one_place() -> None:
    root = Path(__file__).parents[2] / "src" / "understudy"
    writers = {
        path.name
        for path in root.rglob("*.py")
        if re.search(r"\.to_csv\(|csv\.(Dict)?[wW]riter\(", path.read_text(encoding="utf-8"))
    }
    assert writers == {"csv_text.py"}


def test_names_that_were_marked_come_back_as_they_were(tmp_path: Path) -> None:
    names = [*(text for text in EVIL if text.strip() == text), "'quoted'", "plain", "-5"]
    write_csv(pd.DataFrame({"label": names}), tmp_path / "labels.csv")
    assert table_from_csv(str(tmp_path / "labels.csv"), ("label",))["label"].tolist() == names
