"""Candidate classes: the likeliest and the label, in random order, explained on one scale, and known to the server alone."""

from pathlib import Path
from typing import Any

import pytest

from tests.playing import stage, study_of
from tests.prepare.tile_world import register_tiles
from understudy.errors import MaterialsError
from understudy.prepare import Explaining, Prepared, prepare
from understudy.schema import Alternatives, Heatmap, Json, Study, canonical_json, json_from_record, layer_values

OPTIONS = {"kind": "choice", "question_id": "which", "prompt": "Which is right?", "options": ["1", "2", "3", "4"]}
JUDGED = {"name": "judge", "params": {"questions": [OPTIONS], "keys": {"which": "option_of_label"}}}


@pytest.fixture(autouse=True)
def _tiles(monkeypatch: pytest.MonkeyPatch) -> None:
    register_tiles(monkeypatch)


def choosing(explainer: str = "target_maps", *, n: int = 12, model: Any = "tile_model", **more: Any) -> Study:
    return study_of(
        {**stage("choose", explains=True, candidates=4), "task": JUDGED},
        bindings=[{"dataset": more.get("dataset", "tiles"), "model": model, "explainer": explainer}],
        item_sets=[{"name": "cases", "n_items": n, "strata": ["model_is"]}],
    )


def prepared_choice(explainer: str = "target_maps", how: Explaining | None = None) -> Prepared:
    return prepare(choosing(explainer), Path(), how or Explaining())


def truths(prepared: Prepared) -> list[Json]:
    return [prepared.key.truth[trial_id] for trial_id in prepared.key.truth]


def kind(number: int) -> str:
    return f"kind {number % 6}"


def test_right_items_get_the_likeliest_four_and_wrong_items_the_likeliest_three_with_the_label() -> None:
    found = truths(prepared_choice())
    assert {truth["model_is"] for truth in found} == {"right", "wrong"}
    for truth in found:
        answer = int(str(truth["prediction"]).split()[1])
        likeliest = [kind(answer + k) for k in range(4)]
        wanted = set(likeliest) if truth["label"] in likeliest else {*likeliest[:3], truth["label"]}
        assert set(truth["options"]) == wanted  # type: ignore[arg-type]


def test_the_truth_names_the_options_of_label_and_prediction() -> None:
    for truth in truths(prepared_choice()):
        options = truth["options"]
        assert isinstance(options, list)
        assert options[int(str(truth["option_of_label"])) - 1] == truth["label"]
        assert options[int(str(truth["option_of_prediction"])) - 1] == truth["prediction"]


def test_the_order_of_options_is_random_and_the_same_for_the_same_seed() -> None:
    first = [truth["option_of_prediction"] for truth in truths(prepared_choice())]
    assert len(set(first)) > 1
    assert first == [truth["option_of_prediction"] for truth in truths(prepared_choice())]


def test_maps_of_all_options_share_one_scale_and_name_no_class() -> None:
    prepared = prepared_choice()
    for trial_id, truth in prepared.key.truth.items():
        shown = prepared.materials.trials[trial_id].explanation
        assert isinstance(shown, Heatmap)
        classes = [int(str(name).split()[1]) for name in truth["options"]]  # type: ignore[union-attr]
        assert shown.limits == (0.0, float(max(classes)))
        assert [layer.label for layer in shown.layers] == ["", "", "", ""]
        peaks = [layer_values(layer, shown.limits).max() for layer in shown.layers]
        assert peaks == pytest.approx(classes, abs=0.02)


def test_other_kinds_become_alternatives_whose_hidden_rows_say_their_option() -> None:
    prepared = prepared_choice("target_rows")
    trial_id, truth = next(iter(prepared.key.truth.items()))
    shown = prepared.materials.trials[trial_id].explanation
    assert isinstance(shown, Alternatives)
    assert len(shown.options) == 4
    rows = truth["rows"]
    assert isinstance(rows, list)
    assert [(row["option"], row["rank"]) for row in rows] == [(str(k), r) for k in range(1, 5) for r in (2, 1)]  # type: ignore[index,call-overload]


def test_hidden_facts_are_not_part_of_the_materials() -> None:
    prepared = prepared_choice("target_rows")
    public = canonical_json(json_from_record(prepared.materials))
    assert "similarity" not in public
    assert "option_of_label" not in public
    assert "kind 1" not in public


def test_explanations_are_kept_for_each_class_with_their_hidden_facts(tmp_path: Path) -> None:
    counted: list[int] = []
    once = prepared_choice("target_rows", Explaining(tmp_path))
    again = prepared_choice("target_rows", Explaining(tmp_path, on_progress=counted.append))
    assert counted == [48]
    assert again.key == once.key
    assert again.materials == once.materials


def test_a_model_with_too_few_classes_is_refused_in_one_sentence() -> None:
    small = {"name": "tile_model", "params": {"n_classes": 3}}
    tiles = {"name": "tiles", "params": {"n_classes": 3}}
    with pytest.raises(MaterialsError, match=r"explained for 4 classes each, but the model knows 3: kind 0, kind 1"):
        prepare(choosing(model=small, dataset=tiles), Path())


def test_a_pool_without_mistakes_is_refused_in_one_sentence() -> None:
    tiles = {"name": "tiles", "params": {"is_always_right": True}}
    with pytest.raises(MaterialsError, match="right about all 400 items, and item set 'cases' needs wrong"):
        prepare(choosing(dataset=tiles), Path())


def test_a_label_that_the_model_does_not_know_is_refused() -> None:
    with pytest.raises(MaterialsError, match=r"which the model does not know, so no option could be right"):
        prepare(choosing(model={"name": "tile_model", "params": {"n_classes": 5}}), Path())


def test_a_set_can_be_limited_to_items_that_the_model_gets_right() -> None:
    study = study_of(
        {**stage("choose", explains=True, candidates=4), "task": JUDGED},
        bindings=[{"dataset": "tiles", "model": "tile_model", "explainer": "target_maps"}],
        item_sets=[{"name": "cases", "n_items": 12, "only": {"model_is": "right"}}],
    )
    assert {truth["model_is"] for truth in truths(prepare(study, Path()))} == {"right"}


def test_a_limit_that_no_item_meets_is_refused_in_one_sentence() -> None:
    study = study_of(
        stage("choose"),
        bindings=[{"dataset": {"name": "tiles", "params": {"is_always_right": True}}, "model": "tile_model"}],
        item_sets=[{"name": "cases", "n_items": 12, "only": {"model_is": "wrong"}}],
    )
    with pytest.raises(MaterialsError, match=r"wants 12 items with model_is 'wrong', but its dataset gives too few"):
        prepare(study, Path())


def test_a_limit_by_what_items_do_not_have_is_refused() -> None:
    study = study_of(
        stage("choose"),
        bindings=[{"dataset": "tiles", "model": "tile_model"}],
        item_sets=[{"name": "cases", "n_items": 12, "only": {"colour": "red"}}],
    )
    with pytest.raises(MaterialsError, match=r"is to be chosen by 'colour', which its items do not have"):
        prepare(study, Path())
