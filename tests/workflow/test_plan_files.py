"""Plan files for tables from elsewhere: TOML or YAML, and what is said of bad ones."""

from pathlib import Path

import pytest
import yaml

from tests.table_samples import plain, table_text, write_plan, write_table
from understudy.actions.analyze import analyzed_file
from understudy.actions.study_files import read_record
from understudy.errors import StudyError
from understudy.schema import Reanalysis


def written(folder: Path, name: str, text: str) -> Path:
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


def test_toml_and_yaml_give_the_same_plan(tmp_path: Path) -> None:
    path = written(tmp_path, "plan.yaml", yaml.safe_dump(plain()))
    assert read_record(path, Reanalysis) == read_record(write_plan(tmp_path, plain()), Reanalysis)


def test_a_byte_order_mark_is_no_fault(tmp_path: Path) -> None:
    path = write_plan(tmp_path, plain())
    path.write_text(path.read_text(encoding="utf-8"), encoding="utf-8-sig")
    assert read_record(path, Reanalysis) == Reanalysis.model_validate(plain())


def test_toml_can_say_that_trials_stay_single(tmp_path: Path) -> None:
    content = plain()
    content["plan"]["outcomes"][0]["summary"] = "none"
    assert read_record(write_plan(tmp_path, content), Reanalysis).plan.outcomes[0].summary is None


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("p.txt", "{}", "Give a file that ends in .toml"),
        ("p.toml", "title = ", "is not TOML"),
        ("p.yaml", "a: [", "is not YAML"),
        ("p.yaml", "title: x\ntitle: y\n", "duplicate key 'title' (line 2)"),
        ("p.json", '{"title": "x", "title": "y"}', "duplicate key 'title'"),
        ("p.yaml", "words", "needs named fields"),
        ("p.toml", 'title = "x"', "p.toml: table is missing; add it."),
        ("p.toml", 'titel = "x"\nmeasures = []', "titel is not a field that exists here"),
        ("p.toml", 'titel = "x"\nmeasures = []', "measures has 0 entries"),
    ],
)
def test_a_bad_plan_file_is_one_sentence(tmp_path: Path, name: str, text: str, expected: str) -> None:
    with pytest.raises(StudyError) as caught:
        read_record(written(tmp_path, name, text), Reanalysis)
    assert expected in str(caught.value)


def test_rows_that_occur_twice_are_told_where_items_are_known(tmp_path: Path) -> None:
    rows = table_text().splitlines()
    path = written(tmp_path, "copies.csv", "\n".join([*rows, *rows[-2:]]) + "\n")
    findings = analyzed_file(path, write_plan(tmp_path, plain(published=[])), 0).findings
    assert any("2 of 24 rows repeat an earlier row in every column" in text for text in findings.cautions)
    assert not any(
        "repeat" in text for text in analyzed_file(write_table(tmp_path), tmp_path / "plan.toml", 0).findings.cautions
    )
