"""Tables from disk, in CSV or Parquet, and what is said of bad ones."""

from pathlib import Path

import pandas as pd
import pytest

from tests.table_samples import table_text, write_table
from understudy.errors import UnderstudyError
from understudy.estimate import table_from_file
from understudy.estimate.reanalysis import typed_columns


def refusal(path: Path) -> str:
    with pytest.raises(UnderstudyError) as caught:
        table_from_file(path)
    return str(caught.value)


def written(folder: Path, name: str, text: str) -> Path:
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


def test_columns_of_numbers_become_numbers(tmp_path: Path) -> None:
    frame = typed_columns(table_from_file(written(tmp_path, "t.csv", "a,b,c,d\n1,x,True,\n2,3,False,7\n")))
    assert [pd.api.types.is_numeric_dtype(frame[name]) for name in frame.columns] == [True, False, True, True]


def test_blanks_are_missing_and_words_are_not(tmp_path: Path) -> None:
    frame = table_from_file(written(tmp_path, "t.csv", "a,b\n,None\nNA,null\nx,y\n"))
    assert (frame["a"].isna().sum(), frame["b"].isna().sum()) == (2, 0)


def test_parquet_and_csv_give_the_same_table(tmp_path: Path) -> None:
    path = write_table(tmp_path)
    pd.read_csv(path).to_parquet(tmp_path / "table.parquet")
    packed = table_from_file(tmp_path / "table.parquet")
    pd.testing.assert_frame_equal(typed_columns(table_from_file(path)), typed_columns(packed))


def test_other_encodings_are_refused_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes("a,b\nKärte,1\n".encode("latin-1"))
    assert refusal(tmp_path / "t.csv").endswith("Save it as CSV in UTF-8.")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "cannot be read as CSV"),
        ("a,b\n", "has no rows"),
        ("a,b\n1,2\n1,2,3\n", "cannot be read as CSV"),
        ("a;b\n1;2,5\n", "is separated by semicolons. Save it with commas"),
        ("sep=;\na;b\n1;2\n", "is separated by semicolons"),
        ("a\tb\n1\t2\n", "is separated by tabs"),
        ("a,b,a\n1,2,3\n", "has several columns called 'a'"),
        ("a,b\n1,2,\n3,4,\n", "has rows with more cells than there are headings"),
    ],
)
def test_a_bad_file_is_one_sentence(tmp_path: Path, text: str, expected: str) -> None:
    assert expected in refusal(written(tmp_path, "t.csv", text))


def test_csv_under_another_ending_is_one_sentence(tmp_path: Path) -> None:
    assert "a table is a .csv or .parquet file" in refusal(written(tmp_path, "t.xlsx", "a\n1\n"))
    assert "cannot be read as PARQUET" in refusal(written(tmp_path, "t.parquet", "a,b\n1,2\n"))


def test_a_missing_file_is_one_sentence(tmp_path: Path) -> None:
    assert f"There is no file {tmp_path / 'none.csv'}." in refusal(tmp_path / "none.csv")


def test_the_sample_table_is_read(tmp_path: Path) -> None:
    assert len(table_from_file(write_table(tmp_path))) == len(table_text().splitlines()) - 1


def test_a_huge_table_is_refused_before_it_is_read(tmp_path: Path) -> None:
    with (tmp_path / "huge.csv").open("wb") as stream:
        stream.truncate(1025 * 1024**2)
    assert "huge.csv has 1,025 MB, but may have 1,024. Take out columns that the plan does not read" in refusal(
        tmp_path / "huge.csv"
    )
