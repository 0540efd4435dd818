"""Files of entries that other entries name: found beside the study, named by content, and missed in one sentence."""

import hashlib
from pathlib import Path
from typing import Any

import pytest

from tests.playing import stage, study_of
from tests.small_studies import RIGHT_OR_WRONG
from understudy.check.entries import catalogue_faults
from understudy.prepare import prepare
from understudy.prepare.assets import with_addresses, with_paths
from understudy.schema import Ref, Study

TABLE = "colour,size,answer\nred,big,yes\nblue,small,no\nred,small,yes\nblue,big,no\n"
CASES = {"name": "coded_table", "params": {"path": "cases.csv", "features": ["colour", "size"], "label": "answer"}}
PLAIN = {"name": "omission", "params": {"background": "income_cases"}}
LIME = {"name": "lime", "params": {"background": CASES, "n_samples": 50, "n_background": 4}}
PROTOTYPES = {
    "name": "prototype",
    "params": {"background": "income_cases", "model": {"name": "trained_prototypes", "params": {"path": "own.onnx"}}},
}
ANCHOR = {"name": "anchor", "params": {"background": CASES, "n_background": 4}}
TOGETHER = {"name": "composite", "params": {"parts": [LIME, ANCHOR]}}


def explained_by(explainer: Any) -> Study:
    return study_of(
        {**stage("learn", explains=True), "task": {"name": "judge", "params": {"questions": [RIGHT_OR_WRONG]}}},
        bindings=[{"model": {"name": "linear_classifier", "params": {"weights": [1.0, -1.0]}}, "explainer": explainer}],
        item_sets=[{"name": "cases", "n_items": 2, "dataset": CASES}],
    )


def table_in(folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "cases.csv").write_text(TABLE, encoding="utf-8")
    return folder


@pytest.mark.parametrize("explainer", [LIME, TOGETHER], ids=["background", "parts"])
def test_explanations_are_the_same_wherever_the_study_lies(explainer: Any, tmp_path: Path) -> None:
    one, other = (prepare(explained_by(explainer), table_in(tmp_path / name)).materials for name in ("a", "b"))
    assert one == other


@pytest.mark.parametrize("explainer", [LIME, TOGETHER], ids=["background", "parts"])
def test_a_nested_file_counts_by_its_content(explainer: Any, tmp_path: Path) -> None:
    address = f"{hashlib.sha256(TABLE.encode()).hexdigest()}.csv"
    found, files = with_addresses("explainers", Ref.model_validate(explainer), table_in(tmp_path))
    assert files == {address: tmp_path / "cases.csv"}
    assert "cases.csv" not in str(found)


def test_an_entry_without_files_stays_as_it_is_written() -> None:
    written = Ref(
        name="composite", params={"parts": [{"name": "lime", "params": {"background": {"name": "adult"}}}] * 2}
    )
    assert with_paths("explainers", written, Path("elsewhere")) == written
    assert with_addresses("explainers", written, Path("elsewhere"))[0] == written


@pytest.mark.parametrize(
    ("explainer", "where", "path"),
    [
        (LIME, "background", "cases.csv"),
        (PROTOTYPES, "model", "own.onnx"),
        ({"name": "composite", "params": {"parts": [PLAIN, PROTOTYPES]}}, "parts, model", "own.onnx"),
    ],
    ids=["background", "model", "part"],
)
def test_a_nested_file_that_is_missing_is_one_sentence(explainer: Any, where: str, path: str, tmp_path: Path) -> None:
    faults = [fault for fault in catalogue_faults(explained_by(explainer), tmp_path) if fault.startswith("Binding")]
    assert faults == [
        f"Binding 1, {where}, needs the file {path!r}, which is not next to the study. Put it there, or correct the path."
    ]


def test_models_that_must_agree_are_found_beside_the_study(tmp_path: Path) -> None:
    models = [{"name": "trained_classifier", "params": {"path": name}} for name in ("one.onnx", "other.onnx")]
    ref = Ref(name="agreed_cases", params={"source": CASES, "models": models})
    found = with_paths("datasets", ref, tmp_path).model_dump_json()
    assert all(str(tmp_path / name) in found for name in ("cases.csv", "one.onnx", "other.onnx"))
