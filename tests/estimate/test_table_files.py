"""Files from disk: tables in CSV or Parquet, plans in TOML or YAML, and what is said of bad ones."""

from pathlib import Path

import pandas as pd
import pytest
import yaml

from table_samples import plain, table_text, write_plan, write_table
from understudy.errors import UnderstudyError
from understudy.estimate import reanalysis_from_file, table_from_file
from understudy.estimate.reading import typed_columns


def refusal(path: Path) -> str:
    read = table_from_file if path.suffix in (".csv", ".parquet", ".xlsx") else reanalysis_from_file
    with pytest.raises(UnderstudyError) as caught:
        read(path)
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


def test_toml_and_yaml_give_the_same_plan(tmp_path: Path) -> None:
    path = written(tmp_path, "plan.yaml", yaml.safe_dump(plain()))
    assert reanalysis_from_file(path) == reanalysis_from_file(write_plan(tmp_path, plain()))


def test_toml_can_say_that_trials_stay_single(tmp_path: Path) -> None:
    content = plain()
    content["plan"]["outcomes"][0]["summary"] = "none"
    assert reanalysis_from_file(write_plan(tmp_path, content)).plan.outcomes[0].summary is None


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("t.xlsx", "a\n1\n", "a table is a .csv or .parquet file"),
        ("t.csv", "", "cannot be read as CSV"),
        ("t.csv", "a,b\n", "has no rows"),
        ("t.csv", "a,b\n1,2\n1,2,3\n", "cannot be read as CSV"),
        ("t.csv", "a;b\n1;2,5\n", "is separated by semicolons. Save it with commas"),
        ("t.csv", "sep=;\na;b\n1;2\n", "is separated by semicolons"),
        ("t.csv", "a\tb\n1\t2\n", "is separated by tabs"),
        ("t.csv", "a,b,a\n1,2,3\n", "has several columns called 'a'"),
        ("t.csv", "a,b\n1,2,\n3,4,\n", "has rows with more cells than there are headings"),
        ("t.parquet", "a,b\n1,2\n", "cannot be read as PARQUET"),
        ("p.json", "{}", "a plan file is .toml or .yaml"),
        ("p.toml", "title = ", "is not TOML"),
        ("p.yaml", "a: [", "is not YAML"),
        ("p.yaml", "words", "holds no fields"),
        ("p.toml", 'title = "x"', "p.toml: table is missing; add it."),
    ],
)
def test_a_bad_file_is_one_sentence(tmp_path: Path, name: str, text: str, expected: str) -> None:
    assert expected in refusal(written(tmp_path, name, text))


@pytest.mark.parametrize("name", ["none.csv", "none.toml"])
def test_a_missing_file_is_one_sentence(tmp_path: Path, name: str) -> None:
    assert f"There is no file {tmp_path / name}." in refusal(tmp_path / name)


def test_every_fault_of_form_is_named(tmp_path: Path) -> None:
    content = plain(titel="x", measures=[])
    message = refusal(write_plan(tmp_path, content))
    assert "titel is not a field that exists here" in message
    assert "measures has 0 entries" in message


def test_the_sample_table_is_read(tmp_path: Path) -> None:
    assert len(table_from_file(write_table(tmp_path))) == len(table_text().splitlines()) - 1
