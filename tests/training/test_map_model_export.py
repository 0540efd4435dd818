"""Map models on disk: the same numbers as in torch, a card that reads them, and photos that prototypes come from."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import onnxruntime
import pytest

from understudy.schema.model_cards import BoxRule, MapModelCard
from understudy.sources.heat_maps import region_of_map
from understudy.training.map_recipes import MapMethod, MapRecipe

torch = pytest.importorskip("torch", reason="needs the extra torch")
pytest.importorskip("onnx", reason="needs the extra torch")

from tests.training.toy_pictures import toy_data  # noqa: E402
from understudy.training.loop import Progress  # noqa: E402
from understudy.training.map_models import Facts, MapModelWriter  # noqa: E402
from understudy.training.map_training import MapData, MapRun, TrainedMapNet, trained_map_net  # noqa: E402
from understudy.training.prototree import greedy_leaves, tree_head  # noqa: E402

torch.set_num_threads(1)
METHODS: tuple[MapMethod, ...] = ("class_maps", "patch_logits", "prototypes", "tree")
FACTS = Facts(scores={"accuracy": {"test": 1.0}}, training={"seed": 0}, licence="MIT")


def _recipe(method: MapMethod, n_epochs: int = 6) -> MapRecipe:
    return MapRecipe(
        f"toy-{method}",
        "creatures",
        method,
        n_epochs=n_epochs,
        batch=16,
        head_rate=2e-2,
        body_rate=1e-2,
        widths=(8, 8, 8, 8),
        n_blocks=(1, 1, 1, 1),
        receptive_px=9 if method == "patch_logits" else None,
        n_latent=8,
        n_each=2,
        push_every=2,
        depth=2,
    )


@pytest.fixture(scope="module")
def data() -> MapData:
    return toy_data()


@pytest.fixture(scope="module", params=METHODS)
def trained(
    request: pytest.FixtureRequest, data: MapData, tmp_path_factory: pytest.TempPathFactory
) -> tuple[MapMethod, TrainedMapNet]:
    return request.param, trained_map_net(_recipe(request.param), data, MapRun(tmp_path_factory.mktemp("state")))


def test_the_file_gives_the_numbers_of_the_network(
    trained: tuple[MapMethod, TrainedMapNet], data: MapData, tmp_path: Path
) -> None:
    method, found = trained
    writer = MapModelWriter(tmp_path, _recipe(method), found, data)
    pictures = data.test.plain(torch.arange(10))
    session = onnxruntime.InferenceSession(writer.content())  # from here on the network computes distances exactly
    probabilities, maps = session.run(["probabilities", "maps"], {"pictures": pictures.numpy()})
    with torch.no_grad():
        expected = found.net.eval().from_pictures(pictures)
    if found.tree is None:
        assert np.allclose(probabilities, expected.logits.softmax(1).numpy(), atol=1e-5)
        assert np.allclose(maps, expected.maps.numpy(), atol=1e-5)
        return
    kept = expected.maps[:, [node.prototype for node in found.tree.nodes]]
    leaves = tree_head(found.net).leaves()[list(found.tree.leaves)]
    reached = leaves[greedy_leaves(kept.amax((2, 3)), found.tree)]
    assert np.allclose(maps, kept.numpy(), atol=1e-5)
    assert np.allclose(probabilities, reached.numpy(), atol=1e-5)


def test_a_written_folder_can_be_read_by_its_card(
    trained: tuple[MapMethod, TrainedMapNet], data: MapData, tmp_path: Path
) -> None:
    method, found = trained
    writer = MapModelWriter(tmp_path, _recipe(method), found, data)
    writer.write(writer.content(), writer.card(FACTS))
    card = MapModelCard.model_validate_json((tmp_path / "card.json").read_text())
    assert (card.method, card.labels, card.size) == (method, ("red", "green", "blue"), (3, 32, 32))
    assert all((tmp_path / prototype.source).is_file() for prototype in card.prototypes)
    assert {path.name for path in tmp_path.glob("*.png")} == {prototype.source for prototype in card.prototypes}


def test_a_prototype_is_most_similar_to_its_own_photo(
    trained: tuple[MapMethod, TrainedMapNet], data: MapData, tmp_path: Path
) -> None:
    method, found = trained
    writer = MapModelWriter(tmp_path, _recipe(method), found, data)
    card, session = writer.card(FACTS), onnxruntime.InferenceSession(writer.content())
    for number, prototype in enumerate(card.prototypes):
        photo = data.train.plain(torch.tensor([prototype.training_index]))
        similar = session.run(["maps"], {"pictures": photo.numpy()})[0][0, number]
        # Rounding leaves a distance of about 1e-6 to itself.
        assert similar.max() > (9.0 if method == "prototypes" else 0.98)


@pytest.mark.parametrize("box", ["all", "peak"])
def test_the_region_of_a_prototype_is_the_one_that_an_explanation_would_draw(
    box: BoxRule, data: MapData, tmp_path: Path
) -> None:
    recipe = replace(_recipe("prototypes"), box=box)
    writer = MapModelWriter(tmp_path, recipe, trained_map_net(recipe, data, MapRun(tmp_path)), data)
    card, session = writer.card(FACTS), onnxruntime.InferenceSession(writer.content())
    photos = data.train.plain(torch.tensor([prototype.training_index for prototype in card.prototypes]))
    for number, prototype in enumerate(card.prototypes):
        similar = session.run(["maps"], {"pictures": photos[number : number + 1].numpy()})[0][0, number]
        drawn = region_of_map(similar.astype(np.float64), *photos.shape[2:], box=card.box)
        # One pixel of slack, since rounding may move a value over the percentile.
        assert abs(drawn.left - prototype.region.left) <= 1 / photos.shape[3]
        assert abs(drawn.width - prototype.region.width) <= 2 / photos.shape[3]


def test_a_resumed_run_ends_like_an_uninterrupted_one(data: MapData, tmp_path: Path) -> None:
    recipe = _recipe("tree")

    class Stop(Exception):
        pass

    def stop_after_two(progress: Progress) -> None:
        if progress.epoch == 2:
            raise Stop

    whole = trained_map_net(recipe, data, MapRun(tmp_path / "whole"))
    with pytest.raises(Stop):
        trained_map_net(recipe, data, MapRun(tmp_path / "parts", progress=stop_after_two))
    resumed = trained_map_net(recipe, data, MapRun(tmp_path / "parts"))
    assert torch.equal(tree_head(whole.net).evidence, tree_head(resumed.net).evidence)


def test_a_network_may_start_with_the_body_of_another(data: MapData, tmp_path: Path) -> None:
    first = trained_map_net(_recipe("class_maps", 1), data, MapRun(tmp_path))
    body = {name: value.clone() for name, value in first.net.body.state_dict().items()}
    recipe = replace(_recipe("prototypes", 1), n_frozen=1)
    second = trained_map_net(recipe, data, MapRun(tmp_path, body=body))
    assert all(torch.equal(value, body[name]) for name, value in second.net.body.state_dict().items())


def test_every_method_learns(trained: tuple[MapMethod, TrainedMapNet]) -> None:
    curve = trained[1].curve
    assert curve[-1]["loss"] < curve[0]["loss"]
