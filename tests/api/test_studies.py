"""Studies from files, names, text and builders, and back without loss."""

import copy
import pickle
from pathlib import Path
from typing import Any

import pytest

import understudy as us
from tests.small_studies import two_groups

WEIGHTS = us.Ref(name="weighted_features", params={"features": ["income", "age", "savings", "debt"]})
MODEL = us.Ref(name="linear_classifier", params={"weights": [1.5, 0.2, 0.9, -0.6], "labels": ["defaulted", "repaid"]})
OTHER = us.Ref(name="linear_classifier", params={"weights": [0.5, 1.2, 0.9, 0.6], "labels": ["defaulted", "repaid"]})
ARMS = {"shown": WEIGHTS, "hidden": None}
OPTIONS: Any = {
    "dataset": "loan_cases", "model": MODEL, "answers": ("defaulted", "repaid"), "n_items": 8, "n_examples": 4,
    "people": 4, "gates": [us.gate({"Whose decision do you predict?": ["The model's", "My own"]})],
    "scales": [us.scale("trust", "How much do you agree?", ["I trust the model.", "(-) I doubt the model."])],
}  # fmt: skip
DESIGNS = {
    "between": us.between("built", ARMS, **OPTIONS),
    "within": us.within("built", ARMS, **OPTIONS),
    "mixed": us.mixed("built", ARMS, **OPTIONS),
    "factorial": us.factorial("built", ARMS, {"first": MODEL, "second": OTHER}, **OPTIONS),
}


@pytest.mark.parametrize("name", DESIGNS)
def test_a_built_study_is_sound(name: str) -> None:
    assert us.check(DESIGNS[name]).faults == ()


@pytest.mark.parametrize("name", DESIGNS)
def test_a_built_study_survives_text_and_back(name: str) -> None:
    assert us.study_from_toml(us.toml_from_study(DESIGNS[name])) == DESIGNS[name]


@pytest.mark.parametrize("name", ["within", "mixed"])
def test_a_built_study_can_be_rehearsed_and_tested(name: str, tmp_path: Path) -> None:
    found = us.rehearse(DESIGNS[name], people=12, out=tmp_path / "run").findings.findings
    assert [finding.verdict for finding in found if finding.estimate is None] == []


def test_several_explanations_are_compared_with_the_control_and_corrected() -> None:
    study = us.between("three", {"weights": WEIGHTS, "lime": "lime", "none": None}, **OPTIONS)
    assert [claim.contrast for claim in study.plan.hypotheses] == [("weights", "none"), ("lime", "none")]
    assert [family.correction for family in study.plan.families] == ["holm"]


def test_a_factor_with_one_level_is_refused() -> None:
    with pytest.raises(us.UnderstudyError, match="at least two levels"):
        us.between("one", {"shown": WEIGHTS}, **OPTIONS)


def test_a_builder_says_what_it_still_needs() -> None:
    with pytest.raises(us.UnderstudyError, match="needs answers="):
        us.between("bare", ARMS, dataset="loan_cases", model=MODEL)


@pytest.mark.parametrize("name", ["loan-demo", "hase2020-text"])
def test_a_ready_study_survives_a_file_and_back(name: str, tmp_path: Path) -> None:
    study = us.load(name)
    assert us.load(us.save(study, tmp_path / "study.toml")) == study
    assert name in us.ready_studies()


def test_text_that_is_not_a_study_is_refused_in_sentences() -> None:
    with pytest.raises(us.UnderstudyError, match="The text: "):
        us.study_from_toml('name = "x"\n')


def test_a_study_shows_itself_as_a_line_and_as_a_table() -> None:
    study = us.load("loan-demo")
    assert str(study).startswith("Study('loan-demo', 2 conditions, 3 hypotheses, version ")
    assert "People who saw feature weights predict the model better." in study._repr_html_()


def test_any_record_shows_the_fields_that_were_set() -> None:
    assert us.Ref(name="lime")._repr_html_().count("<tr>") == 1


def test_explanations_of_predictions_show_themselves() -> None:
    found = us.explain(MODEL, WEIGHTS, [[0.5, 0.1, 0.2, 0.9], [0.1, 0.2, 0.3, 0.4]])
    assert (len(found), len(str(found).splitlines())) == (2, 2)
    assert found[0]._repr_html_() in found._repr_html_()


@pytest.mark.parametrize("n_items", [4, 12, 24])
def test_a_built_study_announces_about_what_it_takes_and_consents_in_full(n_items: int) -> None:
    study = us.between("built", ARMS, **OPTIONS | {"n_items": n_items, "n_examples": n_items})
    told = " ".join(us.check(study).warnings)
    assert "minutes" not in told
    assert "withdraw" not in told


def test_a_loaded_study_knows_its_folder_from_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, elsewhere = tmp_path / "mine", tmp_path / "elsewhere"
    folder.mkdir()
    elsewhere.mkdir()
    (folder / "cases.csv").write_text(
        "age,answer\n" + "\n".join(f"{k},{('no', 'yes')[k % 2]}" for k in range(40)), "utf-8"
    )
    study = two_groups(
        item_sets=[{"name": "cases", "n_items": 12, "dataset": {
            "name": "table_file", "params": {"path": "cases.csv", "shown": ["age"], "attributes": ["answer"]}}}],
    )  # fmt: skip
    us.save(study, folder / "study.toml")
    monkeypatch.chdir(tmp_path)
    loaded = us.load("mine/study.toml")
    monkeypatch.chdir(elsewhere)
    renamed = loaded.model_copy(update={"title": "Another title"})
    for known in (loaded, renamed, copy.deepcopy(loaded), pickle.loads(pickle.dumps(loaded))):
        assert not any("cases.csv" in fault for fault in us.check(known).faults)
    assert us.prepare(loaded, tmp_path / "run").folder == tmp_path / "run"
    assert (loaded, loaded.digest) == (study, study.digest)
    assert any("cases.csv" in fault for fault in us.check(study).faults)
