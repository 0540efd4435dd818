"""A recipe with maps from start to end, on toy pictures: first the network it starts from, then its folder with its card."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from understudy.errors import MaterialsError, UnknownName
from understudy.schema.model_cards import MapModelCard
from understudy.training.map_recipes import (
    MAP_RECIPES,
    MapRecipe,
    first_recipe,
    map_recipe,
    n_epochs_to_come,
    weights_of,
)

torch = pytest.importorskip("torch", reason="needs the extra torch")
pytest.importorskip("onnx", reason="needs the extra torch")

from tests.training.toy_pictures import LABELS, toy_rows  # noqa: E402
from understudy.training import map_models  # noqa: E402
from understudy.training.map_pictures import Copies, LabelledPictures, PictureParts, chosen_for_tests, pets, stored_maps  # noqa: E402  # noqa: E402  # noqa: E402
from understudy.training.map_training import map_net  # noqa: E402
from understudy.training.protopnet import PHOTO_CHANGES, MapNetSteps, PlainLesson, StoredMaps, changed_pictures  # noqa: E402  # noqa: E402

torch.set_num_threads(1)


def _part(n: int, seed: int) -> LabelledPictures:
    rows = toy_rows(n, seed)
    return LabelledPictures(rows.levels.movedim(1, 3).contiguous().numpy(), rows.labels.numpy())


@pytest.fixture(autouse=True)
def toy_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = PictureParts(_part(48, 0), _part(12, 1), LABELS, "MIT")
    monkeypatch.setattr(map_models, "picture_parts", lambda _recipe, _data: parts)


def _small(name: str) -> MapRecipe:
    return replace(map_recipe(name), n_epochs=1, n_frozen=0, batch=16)


def test_a_prototype_recipe_trains_the_network_it_starts_from_only_once(tmp_path: Path) -> None:
    done: list[int] = []
    options = map_models.MapOptions(tmp_path, tmp_path, on_epoch=done.append)
    map_models.train_map_model(_small("creatures-protopnet"), options)
    assert done == [1, 2]
    map_models.train_map_model(_small("creatures-protopnet"), options)
    assert done == [1, 2, 1]


def test_the_card_says_what_was_trained_and_how_well_it_does(tmp_path: Path) -> None:
    recipe = replace(_small("creatures-prototree"), n_epochs=6, depth=2)
    written = map_models.train_map_model(recipe, map_models.MapOptions(tmp_path, tmp_path))
    card = MapModelCard.model_validate_json((written.path / "card.json").read_text())
    assert card.method == "tree"
    assert card.scores["n_cases"] == {"train": 48, "test": 12}
    after = card.scores["accuracy_after"]
    assert isinstance(after, dict)
    # What the file does is what was measured last in torch.
    assert card.scores["accuracy"] == {"test": after["projected_greedy"]}
    assert json.loads(json.dumps(card.training))["recipe"]["name"] == "creatures-prototree"
    assert not (tmp_path / "creatures-prototree.checkpoint").exists()


def test_a_recipe_counts_the_epochs_of_the_one_it_starts_from(tmp_path: Path) -> None:
    recipe = map_recipe("kim2022/creatures-protopnet")
    first = first_recipe(recipe)
    assert n_epochs_to_come(recipe, tmp_path) == recipe.n_epochs + first.n_epochs
    weights_of(first, tmp_path).touch()
    assert n_epochs_to_come(recipe, tmp_path) == recipe.n_epochs


def test_an_unknown_recipe_is_answered_with_those_there_are() -> None:
    with pytest.raises(UnknownName, match="kim2022/pets-prototree"):
        map_recipe("kim2022/cats")


def test_every_recipe_starts_from_one_with_the_same_pictures_and_backbone() -> None:
    for recipe in MAP_RECIPES.values():
        if recipe.starts_from:
            first = map_recipe(recipe.starts_from)
            assert (first.data, first.backbone, first.widths) == (recipe.data, recipe.backbone, recipe.widths)


def test_the_same_share_of_each_class_is_for_tests() -> None:
    labels = np.repeat(np.arange(4), [10, 20, 30, 40])
    is_test = chosen_for_tests(labels)
    assert [int(is_test[labels == label].sum()) for label in range(4)] == [3, 6, 9, 12]
    assert (is_test == chosen_for_tests(labels)).all()


def test_missing_photos_of_pets_are_answered_with_where_to_put_them(tmp_path: Path) -> None:
    with pytest.raises(MaterialsError, match=r"images\.zip"):
        pets(tmp_path)


def test_stored_maps_are_computed_once(tmp_path: Path) -> None:
    made: list[int] = []

    def frozen() -> Any:
        made.append(1)
        return torch.nn.AvgPool2d(4)

    part = _part(20, 0)
    first = stored_maps(frozen, part, Copies(tmp_path / "maps", 2))
    again = stored_maps(frozen, part, Copies(tmp_path / "maps", 2))
    assert made == [1]
    assert torch.equal(first, again)
    expected = torch.nn.functional.avg_pool2d(torch.from_numpy(part.pixels).movedim(3, 1).float() / 255, 4)
    assert torch.allclose(first[0].float(), expected, atol=1e-3)
    assert not torch.allclose(first[0].float(), first[1].float(), atol=1e-2)


def test_a_copy_is_drawn_for_each_picture(tmp_path: Path) -> None:
    part = _part(20, 0)
    maps = stored_maps(lambda: torch.nn.AvgPool2d(4), part, Copies(tmp_path / "maps", 3))
    stored = StoredMaps(maps, torch.from_numpy(part.labels))
    draws = torch.zeros(2, 8)
    draws[1, 0] = 0.99
    changed = stored.changed(torch.tensor([4, 4]), draws)
    assert torch.equal(changed[0], stored.maps[0, 4].float())
    assert torch.equal(changed[1], stored.maps[2, 4].float())


def test_draws_in_the_middle_leave_a_picture_almost_as_it_is() -> None:
    pictures = torch.rand(1, 3, 16, 16, generator=torch.Generator().manual_seed(0))
    draws = torch.full((1, 8), 0.5)
    plain = PHOTO_CHANGES._replace(zoom=(1.0, 1.0))
    assert torch.allclose(changed_pictures(pictures, draws, plain), pictures, atol=1e-4)


def test_a_recipe_may_end_with_the_average_of_its_steps() -> None:
    rows = toy_rows(32)
    recipe = replace(_small("creatures-cnn"), averaged=0.5, widths=(4, 4, 4, 8))
    net = map_net(recipe, len(LABELS), rows.levels.shape[2])
    steps = MapNetSteps(recipe, rows, net, PlainLesson(0.0))
    weights = []
    for _ in range(2):
        steps.step(torch.arange(16), torch.full((16, 8), 0.5))
        weights.append(next(net.head.parameters()).detach().clone())
    steps.settle()
    # The average starts at the first step, and each later step takes half of it.
    assert torch.allclose(next(net.head.parameters()), (weights[0] + weights[1]) / 2, atol=1e-6)
    assert not torch.allclose(weights[0], weights[1], atol=1e-6)
