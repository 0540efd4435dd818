"""The released stimuli are read whole, and nothing that was changed is taken for them."""

import os
from collections import Counter
from pathlib import Path
from typing import Literal

import pytest

from tests.explainers.stage import fields
from tests.hase_sheets import write_sheets
from understudy.errors import MaterialsError
from understudy.schema import Explanation
from understudy.sources.hase_sheets import Stimuli, matching_rows, read_stimuli, refuse_validity
from understudy.sources.hase_stimuli import Domain, explanation_from_texts, value_from_text

DOMAINS: tuple[Domain, ...] = ("text", "tabular")
RELEASED = Path(os.environ.get("UNDERSTUDY_DATA", "nowhere")) / "simulatability-stimuli"
needs_release = pytest.mark.skipif(
    not RELEASED.is_dir(), reason="UNDERSTUDY_DATA names no folder with simulatability-stimuli"
)
both = pytest.mark.parametrize("domain", DOMAINS)


@pytest.fixture(scope="module")
def sheets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_sheets(tmp_path_factory.mktemp("sheets"))


def said(sheets: Path, domain: Domain, method: str, part: Literal["learning", "counterfactual"]) -> Explanation:
    stimuli = read_stimuli(sheets, domain)
    item = stimuli.of(part)[0]
    return explanation_from_texts(stimuli.texts[method, item.row], item, method)


def cells(stimuli: Stimuli, part: Literal["learning", "forward", "counterfactual"]) -> list[int]:
    return sorted(Counter((item.label, item.prediction) for item in stimuli.of(part)).values())


@needs_release
@both
def test_all_trials_of_the_release_are_there_and_every_explanation_is_understood(domain: Domain) -> None:
    stimuli = read_stimuli(RELEASED, domain)
    read = [explanation_from_texts(texts, stimuli.items[row], method) for (method, row), texts in stimuli.texts.items()]
    assert (len(stimuli.trials), len(stimuli.items), len(read)) == (880, 80, 288)


@needs_release
@both
def test_the_release_is_balanced_over_label_and_prediction(domain: Domain) -> None:
    stimuli = read_stimuli(RELEASED, domain)
    assert cells(stimuli, "learning") == [4] * 4
    assert cells(stimuli, "forward") == cells(stimuli, "counterfactual") == [8] * 4


@needs_release
@both
def test_half_of_the_edits_in_each_cell_of_the_release_keep_the_prediction(domain: Domain) -> None:
    items = read_stimuli(RELEASED, domain).of("counterfactual")
    halves = Counter((item.label, item.prediction, item.keeps) for item in items)
    assert sorted(halves.values()) == [4] * 8


@needs_release
def test_edits_of_the_release_are_counted() -> None:
    items = read_stimuli(RELEASED, "tabular").of("counterfactual")
    counted = Counter(item.edit.n_edits for item in items if item.edit is not None)
    assert counted == {1: 11, 2: 13, 3: 8}


@needs_release
def test_the_paths_of_the_release_end_across_the_boundary() -> None:
    for domain in DOMAINS:
        stimuli = read_stimuli(RELEASED, domain)
        for (method, row), texts in stimuli.texts.items():
            if method == "decision_boundary":
                payload = fields(explanation_from_texts(texts, stimuli.items[row], method))
                steps = payload["steps"]
                assert steps[-1]["margin"] * payload["margin"] < 0


@needs_release
def test_validity_sheets_of_the_release_are_refused_because_they_are_misaligned() -> None:
    assert all(n_right <= 3 and n == 32 for n_right, n in matching_rows(RELEASED).values())
    with pytest.raises(MaterialsError, match=r"6 validity sheets are misaligned.*3 of 32 in Anchor, 0 of 32 in LIME"):
        refuse_validity(RELEASED)


def test_words_stand_where_their_weights_belong(sheets: Path) -> None:
    payload = fields(said(sheets, "text", "LIME", "counterfactual"))
    assert payload["tokens"] == ["film", "49", "was", "n't", "fun", ",", "was", "it", "?"]
    assert payload["weights"] == [0, 0, -0.1, 0, 0.2, 0, -0.1, 0, 0]
    assert (payload["baseline"], payload["total"], payload["toward"]) == (0.5, 0.6, "positive")


def test_values_are_read_beside_their_names(sheets: Path) -> None:
    payload = fields(said(sheets, "tabular", "LIME", "learning"))
    assert (payload["features"], payload["values"]) == (["Sex", "Age"], ["Male", "over 28 to 37 years"])


def test_codes_are_read_in_words_and_numbers_with_their_unit() -> None:
    assert value_from_text("Self-emp-inc", "Workclass") == "Self-employed, own company"
    assert value_from_text("Private", "Workclass") == "Private"
    assert value_from_text("Age <= 28.00", "Age") == "up to 28 years"
    assert value_from_text("Hours per week > 45.00", "Hours per week") == "over 45 hours"


def test_the_place_of_a_word_is_named_only_where_it_is_known(sheets: Path) -> None:
    payload = fields(said(sheets, "text", "Anchor", "learning"))
    assert payload["conditions"] == [{"token": "fun", "position": 4}, {"token": "was"}]


def test_a_missing_value_is_said_to_be_missing(sheets: Path) -> None:
    payload = fields(said(sheets, "tabular", "Anchor", "learning"))
    assert payload["conditions"] == [
        {"feature": "Age", "value": "over 28 to 37 years"},
        {"feature": "Workclass", "value": "not stated"},
    ]


def test_the_second_of_two_words_gets_its_own_weight(sheets: Path) -> None:
    payload = fields(said(sheets, "text", "prototype", "counterfactual"))
    assert (payload["label"], payload["similarity"]) == ("negative", 0.974)
    assert payload["importance"] == {
        "features": [],
        "values": [],
        "tokens": ["film", "49", "was", "n't", "fun", ",", "was", "it", "?"],
        "weights": [0, 0, 0, 0, 1.2, 0, -0.3, 0, 0],
    }


def test_a_similar_record_keeps_the_order_of_its_fields(sheets: Path) -> None:
    payload = fields(said(sheets, "tabular", "prototype", "learning"))
    assert payload["case"] == {"Age": "over 48 years", "Workclass": "not stated", "Sex": "Male", "Hours per week": "7"}
    assert payload["importance"] == {"features": [], "tokens": [], "values": [], "weights": []}


def test_edits_of_a_path_add_up(sheets: Path) -> None:
    payload = fields(said(sheets, "text", "decision_boundary", "learning"))
    first, second = {"position": 4, "old": "fun", "new": "bad"}, {"position": 2, "old": "was", "new": "is"}
    assert payload["steps"] == [{"margin": 0.4, "edits": [first]}, {"margin": -0.2, "edits": [second, first]}]
    assert (payload["margin"], payload["toward"]) == (1.0, "positive")


@both
def test_the_composite_has_four_parts_and_no_margin(sheets: Path, domain: Domain) -> None:
    parts = fields(said(sheets, domain, "composite", "learning"))["parts"]
    kinds = [part["kind"] for part in parts]
    assert kinds[1:] == ["rule", "path", "similar_case"]
    assert "margin" not in str(parts[2])


@both
def test_omission_gives_the_margin_and_what_counted(sheets: Path, domain: Domain) -> None:
    payload = fields(said(sheets, domain, "omission", "learning"))
    assert payload["total"] == {"text": 1.0, "tabular": -2.0}[domain]


def test_an_edited_record_has_all_its_fields(sheets: Path) -> None:
    item = read_stimuli(sheets, "tabular").of("counterfactual")[0]
    assert item.content["edited"] == {**item.content["original"], "Sex": "Female"}  # type: ignore[dict-item]
    assert item.edit is not None
    assert item.edit.n_edits == 1


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("forward,pre,LIME", "forward,pre,SHAP", "sheets of SHAP, which were not released"),
        ("explanation_b", "second", "trials.csv has no column explanation_b"),
        ("forward,post,LIME,,20", "forward,post,LIME,,21", "text sheet forward post LIME shows other items"),
        (
            "fun  |  0.20",
            "gun  |  0.20",
            "LIME explanation of text item 1 cannot be read .'gun' is not in the sentence",
        ),
    ],
)
def test_changed_sheets_are_refused(tmp_path: Path, old: str, new: str, words: str) -> None:
    folder = write_sheets(tmp_path)
    path = folder / "trials.csv"
    path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    with pytest.raises(MaterialsError, match=words):
        said(folder, "text", "LIME", "learning")


def test_an_unbalanced_master_is_refused(tmp_path: Path) -> None:
    path = write_sheets(tmp_path) / "master.csv"
    path.write_text(path.read_text(encoding="utf-8").replace(",neg,neg,neg", ",neg,neg,pos"), encoding="utf-8")
    with pytest.raises(MaterialsError, match=r"edits do not keep the prediction in half of each cell"):
        read_stimuli(tmp_path, "text")


def test_sheets_are_read_once_and_again_when_they_have_changed(tmp_path: Path) -> None:
    path = write_sheets(tmp_path) / "master.csv"
    assert read_stimuli(tmp_path, "text") is read_stimuli(tmp_path, "text")
    path.write_text(path.read_text(encoding="utf-8").replace(",neg,neg,neg", ",neg,neg,pos"), encoding="utf-8")
    os.utime(path, ns=(0, 0))
    with pytest.raises(MaterialsError, match=r"edits do not keep the prediction in half of each cell"):
        read_stimuli(tmp_path, "text")


def test_an_absent_folder_is_one_clear_sentence(tmp_path: Path) -> None:
    with pytest.raises(MaterialsError, match="set UNDERSTUDY_DATA to the folder that holds simulatability-stimuli"):
        read_stimuli(tmp_path / "nowhere", "text")
