"""Map models: what the network computes comes out, and a folder that cannot be used gets one sentence a fault."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from tests.explainers.map_models import HEAD, block_means, head_network, similarity_maps, write_map_model
from tests.explainers.stage import LABELS, picture_inputs
from understudy.errors import MaterialsError
from understudy.inference.map_models import map_model_from_folder
from understudy.models import MapModel
from understudy.roles import HasMaps

pytest.importorskip("onnx", reason="needs the extra torch")


def changed_card(folder: Path, **changes: Any) -> Path:
    """Change fields of the card, past the checks of its record."""
    path = folder / "card.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))
    return folder


def refusal(folder: Path) -> str:
    with pytest.raises(MaterialsError) as found:
        map_model_from_folder(folder)
    return str(found.value)


def test_class_maps_are_the_head_applied_to_every_place(tmp_path: Path) -> None:
    maps = map_model_from_folder(write_map_model(tmp_path)).maps(picture_inputs(5))
    assert maps == pytest.approx(np.einsum("lc,ncij->nlij", HEAD, block_means(picture_inputs(5))), abs=1e-5)


def test_similarity_maps_are_those_of_the_prototypes(tmp_path: Path) -> None:
    maps = map_model_from_folder(write_map_model(tmp_path, "prototypes")).maps(picture_inputs(5))
    assert maps == pytest.approx(similarity_maps(picture_inputs(5)), abs=1e-5)


def test_batches_change_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = map_model_from_folder(write_map_model(tmp_path))
    whole = opened.predict(picture_inputs())
    monkeypatch.setattr("understudy.sources.picture_pools.BATCH_BYTES", 1)
    assert opened.predict(picture_inputs()) == pytest.approx(whole, abs=1e-6)


def test_a_network_for_single_pictures_answers_for_many(tmp_path: Path) -> None:
    whole = map_model_from_folder(write_map_model(tmp_path / "any")).maps(picture_inputs(4))
    (write_map_model(tmp_path / "one") / "model.onnx").write_bytes(head_network(n_pictures=1))
    assert map_model_from_folder(tmp_path / "one").maps(picture_inputs(4)) == pytest.approx(whole, abs=1e-6)


def test_no_pictures_have_maps_of_the_right_shape(tmp_path: Path) -> None:
    assert map_model_from_folder(write_map_model(tmp_path)).maps(picture_inputs(0)).shape == (0, 2, 4, 5)


def test_the_entry_has_the_ability(tmp_path: Path) -> None:
    made = MapModel(folder=str(write_map_model(tmp_path)))
    assert isinstance(made, HasMaps)
    assert made.labels == LABELS


def test_a_model_trained_again_is_opened_again(tmp_path: Path) -> None:
    before = map_model_from_folder(write_map_model(tmp_path)).maps(picture_inputs(1))
    after = map_model_from_folder(write_map_model(tmp_path, factor=2.0)).maps(picture_inputs(1))
    assert after == pytest.approx(2 * before, abs=1e-5)


def test_a_shipped_folder_is_looked_for_among_the_material() -> None:
    with pytest.raises(MaterialsError, match=r"material/nothing' is not the folder of a map model"):
        _ = MapModel(folder="shipped:kim2022/nothing").labels


def test_metadata_of_a_photo_do_not_reach_the_page(tmp_path: Path) -> None:
    folder = write_map_model(tmp_path, "prototypes")
    told = PngInfo()
    told.add_text("class", "above")
    with Image.open(folder / "photo-0.png") as photo:
        photo.copy().save(folder / "photo-0.png", pnginfo=told)
    assert b"above" in (folder / "photo-0.png").read_bytes()
    assert b"above" not in map_model_from_folder(folder).source_photo(0).content


def test_an_empty_folder_says_what_it_lacks(tmp_path: Path) -> None:
    assert "it has no model.onnx and no card.json" in refusal(tmp_path)


def test_a_damaged_network_is_refused(tmp_path: Path) -> None:
    (write_map_model(tmp_path) / "model.onnx").write_bytes(b"not a network")
    assert "is not an ONNX model that can be run" in refusal(tmp_path)


def test_a_damaged_card_is_refused(tmp_path: Path) -> None:
    (write_map_model(tmp_path) / "card.json").write_bytes(b"{\xff")
    assert "is not JSON" in refusal(tmp_path)


def test_a_card_with_an_unknown_method_is_refused(tmp_path: Path) -> None:
    assert "method" in refusal(changed_card(write_map_model(tmp_path), method="magic"))


def test_a_missing_photo_is_named(tmp_path: Path) -> None:
    (write_map_model(tmp_path, "prototypes") / "photo-2.png").unlink()
    assert "The photo 'photo-2.png' is not a file there." in refusal(tmp_path)


def test_a_damaged_photo_is_named(tmp_path: Path) -> None:
    (write_map_model(tmp_path, "prototypes") / "photo-2.png").write_bytes(b"no photo")
    assert "The photo 'photo-2.png' cannot be read as a picture" in refusal(tmp_path)


def test_of_many_missing_photos_three_are_named(tmp_path: Path) -> None:
    for photo in write_map_model(tmp_path, "prototypes").glob("*.png"):
        photo.unlink()
    assert "2 more photos have such a fault." in refusal(tmp_path)


def test_a_photo_outside_the_folder_is_refused(tmp_path: Path) -> None:
    folder = write_map_model(tmp_path / "model", "prototypes")
    prototypes = json.loads((folder / "card.json").read_text())["prototypes"]
    prototypes[0]["source"] = "../photo.png"
    assert "leads out of its folder" in refusal(changed_card(folder, prototypes=prototypes))


def test_a_region_outside_its_photo_is_refused(tmp_path: Path) -> None:
    folder = write_map_model(tmp_path, "prototypes")
    prototypes = json.loads((folder / "card.json").read_text())["prototypes"]
    prototypes[0]["region"]["left"] = 0.95
    assert "1 of its 5 prototypes have a region that leaves the photo" in refusal(
        changed_card(folder, prototypes=prototypes)
    )


def test_too_few_labels_for_the_outputs_are_refused(tmp_path: Path) -> None:
    told = refusal(changed_card(write_map_model(tmp_path), labels=["a", "b", "c"]))
    assert "gives probabilities of the shape (2, 2) for 2 pictures and 3 labels" in told


def test_too_few_prototypes_for_the_maps_are_refused(tmp_path: Path) -> None:
    folder = write_map_model(tmp_path, "prototypes")
    prototypes = json.loads((folder / "card.json").read_text())["prototypes"][:4]
    assert "one map for each prototype (4)" in refusal(changed_card(folder, prototypes=prototypes))


def test_another_size_is_refused(tmp_path: Path) -> None:
    assert "failed on 2 pictures of the shape (3, 7, 7)" in refusal(
        changed_card(write_map_model(tmp_path), size=[3, 7, 7])
    )


def test_a_prototype_of_an_unknown_class_is_refused(tmp_path: Path) -> None:
    folder = write_map_model(tmp_path, "prototypes")
    prototypes = json.loads((folder / "card.json").read_text())["prototypes"]
    prototypes[0]["label"] = "sideways"
    assert "speak for 'sideways', not among its labels: below, above" in refusal(
        changed_card(folder, prototypes=prototypes)
    )


@pytest.mark.parametrize("present", [0, 1, -1])
def test_nodes_that_are_not_a_tree_are_refused(tmp_path: Path, present: int) -> None:
    folder = write_map_model(tmp_path, "tree")
    nodes = json.loads((folder / "card.json").read_text())["nodes"]
    nodes[2]["present"] = present
    assert "Its nodes are not a tree" in refusal(changed_card(folder, nodes=nodes))


def test_leaves_with_too_few_probabilities_are_refused(tmp_path: Path) -> None:
    folder = write_map_model(tmp_path, "tree")
    leaves = [[1.0], *json.loads((folder / "card.json").read_text())["leaves"][1:]]
    assert "1 of its 4 leaves do not have one probability for each of the 2 labels" in refusal(
        changed_card(folder, leaves=leaves)
    )


def test_every_fault_of_a_card_is_told_at_once(tmp_path: Path) -> None:
    folder = write_map_model(tmp_path, "tree")
    (folder / "photo-1.png").unlink()
    told = refusal(changed_card(folder, labels=["same", "same"]))
    assert "'same' more than once" in told
    assert "photo-1.png" in told


def test_pictures_of_another_size_are_refused(tmp_path: Path) -> None:
    with pytest.raises(MaterialsError, match=r"takes pictures of the shape \(3, 8, 10\)"):
        map_model_from_folder(write_map_model(tmp_path)).predict(np.zeros((1, 3, 4, 4)))
