"""Importance finds what a model relies on, in any world, and says so with a stated threshold."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.workflow.worlds.small_world import EDGE, WORLD, SeenThrough, Thermometer
from understudy.actions.importance import (
    Effects,
    ImportanceOptions,
    ModelName,
    effects_from_run,
    effects_of,
    key_from_effects,
    relevance_key,
    relevance_key_from_file,
    table_from_key,
)
from understudy.errors import MaterialsError
from understudy.protocols.sixt2022.printed import RELEVANT, TABLE_1, TABLE_3, TABLE_4, printed_row
from understudy.schema import (
    Measured,
    RelevanceKey,
    RelevanceRule,
    digest_of,
    relevance_key_from_text,
    text_from_relevance_key,
)
from understudy.worlds.laws import Computed
from understudy.worlds.sixt2022 import AS_IN_CODE, Sixt2022Options, sixt2022
from understudy.worlds.world import Attribute, World

pytest.importorskip("numba", reason="needs the extra scenes")
QUICK = ImportanceOptions(n=80, edge=EDGE, n_resamples=200)


@pytest.fixture(scope="module")
def key() -> RelevanceKey:
    return relevance_key(WORLD, SeenThrough(), QUICK, named=ModelName("thermometer", "abc"))


def test_only_what_the_model_reads_is_relevant(key: RelevanceKey) -> None:
    assert key.verdicts == {"colour": "irrelevant", "wall": "relevant", "posture": "irrelevant"}
    assert key.attribute("wall").r_squared.low > 0.9


def test_a_key_says_how_it_was_made(key: RelevanceKey) -> None:
    said = (key.world, key.world_digest, key.model, key.model_digest, key.label, key.n, key.edge, key.mode)
    assert said == ("mine", digest_of(WORLD), "thermometer", "abc", "warm", 80, EDGE, "all_parents")


def test_accuracy_counts_the_classes_that_the_model_finds(key: RelevanceKey) -> None:
    assert key.accuracy is not None
    assert abs(key.accuracy - 0.5) < 0.25


def test_log_odds_stand_in_for_evidence_that_a_model_does_not_show(key: RelevanceKey) -> None:
    hidden = relevance_key(WORLD, Thermometer(), QUICK)
    for name in WORLD.names:
        assert hidden.attribute(name).r_squared.value == pytest.approx(key.attribute(name).r_squared.value, abs=1e-5)
        assert hidden.attribute(name).latents is None


def test_latents_give_lengths_and_the_angle_with_the_weights(key: RelevanceKey) -> None:
    wall = key.attribute("wall").latents
    assert wall is not None
    assert wall.angle is not None
    # The evidence is twice the first hidden value, and the other one hardly moves with the colour of the wall.
    assert wall.angle < 20
    assert wall.norm > 0


def test_weights_are_left_out_where_the_evidence_is_not_linear_in_the_latents() -> None:
    class Bent(SeenThrough):
        def latents(self, inputs: np.ndarray) -> np.ndarray:
            return super().latents(inputs) ** 3

    effects = effects_of(WORLD, Bent(), QUICK)
    assert effects.weight_length is None
    shift = key_from_effects(WORLD, effects, QUICK, ModelName("bent")).attribute("wall").latents
    assert shift is not None
    assert (shift.angle, shift.norm > 0) == (None, True)


def test_the_same_seed_gives_the_same_key(key: RelevanceKey) -> None:
    assert relevance_key(WORLD, SeenThrough(), QUICK, named=ModelName("thermometer", "abc")) == key


def test_the_other_mode_keeps_causes_that_are_not_the_class() -> None:
    options = ImportanceOptions(n=20, edge=EDGE, mode="class_only", n_resamples=50)
    assert relevance_key(WORLD, Thermometer(), options).mode == "class_only"


def test_another_label_turns_the_evidence_round() -> None:
    warm, cold = (
        effects_of(WORLD, SeenThrough(), ImportanceOptions(n=10, edge=EDGE, label=label)) for label in ("warm", "cold")
    )
    assert np.array_equal(cold.logits, -warm.logits)


def test_a_world_of_functions_has_no_digest() -> None:
    drawn = Computed(function=lambda given, rng: rng.uniform(size=given.n), low=0, high=1)
    world = WORLD.model_copy(update={"attributes": (Attribute(name="hue", low=0, high=1, law=drawn),), "groups": {}})
    world = world.model_copy(update={"parameters": {}})
    key = relevance_key(world, Thermometer(), ImportanceOptions(n=10, edge=EDGE, n_resamples=10))
    assert (key.world_digest, [*key.verdicts]) == ("", ["hue"])


def test_too_few_pictures_are_refused() -> None:
    with pytest.raises(MaterialsError, match=r"9 pictures were asked for. Ask for at least 10"):
        ImportanceOptions(n=9)


# The rule


def test_the_rule_separates_the_attributes_of_table_3_as_the_paper_does() -> None:
    rule = RelevanceRule()
    verdicts = {name: printed_row(name, rule).verdict for name in TABLE_3}
    assert {name for name, verdict in verdicts.items() if verdict == "relevant"} == set(RELEVANT)
    assert set(TABLE_3) == set(TABLE_4) == set(sixt2022().names)
    assert set(TABLE_1) < set(TABLE_3)


@pytest.mark.parametrize(
    ("low", "high", "verdict", "is_settled"),
    [(0.2, 0.4, "relevant", True), (0.05, 0.4, "irrelevant", False), (0.0, 0.05, "irrelevant", True)],
)
def test_an_interval_that_contains_the_threshold_is_not_settled(
    low: float, high: float, verdict: str, is_settled: bool
) -> None:
    measured = Measured(value=(low + high) / 2, low=low, high=high)
    assert (RelevanceRule().verdict(measured), RelevanceRule().is_settled(measured)) == (verdict, is_settled)


def test_attributes_asked_together_are_relevant_as_soon_as_one_is() -> None:
    rng = np.random.default_rng(1)
    logits, moved = rng.normal(size=200), {name: rng.normal(size=200) for name in sixt2022().names}
    changed = {name: logits + (moved[name] if name == "bending" else rng.normal(size=200)) for name in moved}
    effects = Effects(logits, changed, moved, {}, None, None)
    key = key_from_effects(sixt2022(), effects, QUICK, ModelName("made up"))
    assert [name for name, verdict in key.verdicts.items() if verdict == "relevant"] == ["posture"]


# Files


def test_a_key_survives_its_file(key: RelevanceKey, tmp_path: Path) -> None:
    path = tmp_path / "answer_key.json"
    path.write_text(text_from_relevance_key(key), encoding="utf-8")
    assert relevance_key_from_file(path) == key


@pytest.mark.parametrize(
    ("variant", "name"),
    [
        (sixt2022(), "sixt2022"),
        (sixt2022(AS_IN_CODE), "sixt2022-code"),
        (sixt2022(Sixt2022Options(hue_slope=3)), "sixt2022-changed"),
    ],
)
def test_an_older_key_does_not_call_a_variant_by_the_name_of_the_paper(
    key: RelevanceKey, tmp_path: Path, variant: World, name: str
) -> None:
    former = variant.model_copy(update={"name": "sixt2022"})
    path = tmp_path / "answer_key.json"
    said = {"world": "sixt2022", "world_digest": digest_of(former)}
    path.write_text(text_from_relevance_key(key.model_copy(update=said)), encoding="utf-8")
    assert relevance_key_from_file(path).world == name


def test_a_verdict_that_was_changed_by_hand_is_refused(key: RelevanceKey) -> None:
    plain = json.loads(text_from_relevance_key(key))
    plain["attributes"][1]["verdict"] = "irrelevant"
    with pytest.raises(MaterialsError, match="'wall' is called irrelevant, which is not what its rule says"):
        relevance_key_from_text(json.dumps(plain), "key.json")


def test_a_group_that_was_changed_by_hand_is_refused(key: RelevanceKey) -> None:
    plain = json.loads(text_from_relevance_key(key))
    plain["groups"][0]["verdict"] = "relevant"
    with pytest.raises(MaterialsError, match="the group 'colour' is called relevant"):
        relevance_key_from_text(json.dumps(plain), "key.json")


def test_what_is_not_a_key_is_said_to_be_none(tmp_path: Path) -> None:
    with pytest.raises(MaterialsError, match=r"key.json is not JSON"):
        relevance_key_from_text("legs: relevant", "key.json")
    with pytest.raises(MaterialsError, match=r"is not a file. Write a key with"):
        relevance_key_from_file(tmp_path / "key.json")


def test_effects_of_a_whole_run_become_a_key(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    names = sixt2022().names
    arrays: dict[str, Any] = {"flow-logits": rng.normal(size=50)}
    for name in names:
        arrays[f"flow-moved-{name}"] = rng.normal(size=50)
        arrays[f"flow-changed-{name}"] = arrays["flow-logits"] + (arrays[f"flow-moved-{name}"] if name == "legs" else 0)
        arrays[f"flow-lengths-{name}"] = np.abs(arrays[f"flow-moved-{name}"])
    np.savez_compressed(tmp_path / "effects.npz", **arrays)
    results = {"weight_length": 2.0, "accuracy": {"flow": 0.96, "classifier": 0.97}}
    (tmp_path / "results.json").write_text(json.dumps(results))
    effects = effects_from_run(tmp_path)
    key = key_from_effects(sixt2022(), effects, QUICK, ModelName("inn-64"))
    legs = key.attribute("legs").latents
    assert legs is not None
    assert (key.accuracy, key.verdicts["legs"], key.verdicts["colour"]) == (0.96, "relevant", "irrelevant")
    assert legs.angle == pytest.approx(60)
    with pytest.raises(MaterialsError, match=r"has nothing about 'classifier'. It has: flow"):
        effects_from_run(tmp_path, "classifier")


def test_a_folder_without_a_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MaterialsError, match=r"effects.npz is not there"):
        effects_from_run(tmp_path)


def test_a_notebook_gets_a_table_with_the_most_directed_attribute_first(key: RelevanceKey) -> None:
    table = table_from_key(key)
    assert table["attribute"][0] == "wall"
    assert table["r_squared"].is_monotonic_decreasing
    assert set(table["verdict"]) == {"relevant", "irrelevant"}
