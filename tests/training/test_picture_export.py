"""Networks for pictures say the same as files as they do in torch, and are refused where their card says otherwise."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from understudy.errors import MaterialsError
from understudy.inference.cards import ClassifierCard, ObserverCard, card_from_details
from understudy.inference.model_folders import write_model
from understudy.inference.onnx_graphs import quantized
from understudy.inference.onnx_models import classifier_from_bytes, observer_from_bytes, observer_from_file
from understudy.models import TrainedClassifier
from understudy.sources.picture_pools import model_inputs

torch = pytest.importorskip("torch", reason="needs the extra torch")
pytest.importorskip("onnx", reason="needs the extra torch")

from tests.training.squares import NAMES, SMALL, SMALL_CNN, SMALL_OBSERVER, square_rows, write_squares  # noqa: E402
from understudy.actions.importance import effects_from_run  # noqa: E402
from understudy.training.export import onnx_from_observer, onnx_from_picture_classifier  # noqa: E402
from understudy.training.flow_nets import PictureCnn  # noqa: E402
from understudy.training.flow_run import FlowOrder, carry_out  # noqa: E402
from understudy.training.picture_data import PictureFolder, levels_to_values  # noqa: E402
from understudy.training.picture_models import flow_model_from_folder, flow_recipe_from_json  # noqa: E402
from understudy.training.picture_networks import nets_from_run  # noqa: E402
from understudy.training.picture_training import picture_net_from_recipe  # noqa: E402

torch.set_num_threads(1)
SIZE = (3, 8, 8)


def observer_net() -> PictureCnn:
    net = picture_net_from_recipe(SMALL_OBSERVER, len(NAMES)).eval()
    net.centre[:-1], net.spread[:-1] = 2.0, 3.0
    return net


def observer_card(**changes: object) -> ObserverCard:
    plain = {"name": "observer-8", "size": SIZE, "attributes": NAMES, "spreads": (3.0, 3.0, 3.0), **changes}
    return ObserverCard.model_validate(plain)


def classifier_card() -> ClassifierCard:
    return ClassifierCard(name="cnn-8", takes="pictures", labels=("left", "right"), size=SIZE)


def test_an_observer_reads_from_a_file_what_it_reads_in_torch() -> None:
    net, levels = observer_net(), square_rows(20).levels
    with torch.no_grad():
        wanted = net.attributes(levels_to_values(levels)).numpy()
    observer = observer_from_bytes(onnx_from_observer(net, 8), observer_card())
    assert observer.read(levels.numpy()) == pytest.approx(wanted, abs=1e-4)
    assert observer.read(levels.numpy()[:0]).shape == (0, 3)
    assert observer.attributes == NAMES


def test_a_classifier_shows_margins_latents_and_probabilities() -> None:
    net, levels = picture_net_from_recipe(SMALL_CNN, len(NAMES)).eval(), square_rows(20).levels
    with torch.no_grad():
        wanted = net.logits(levels_to_values(levels)).numpy()
    classifier = classifier_from_bytes(onnx_from_picture_classifier(net, 8), classifier_card())
    inputs = model_inputs(levels.numpy())
    assert classifier.margins(inputs) == pytest.approx(wanted, abs=1e-4)
    assert classifier.predict(inputs)[:, 1] == pytest.approx(1 / (1 + np.exp(-wanted)), abs=1e-5)
    assert classifier.latents(inputs).shape == (20, 256)
    assert classifier.word_vectors is None


def test_a_classifier_of_pictures_is_a_model_of_a_study(tmp_path: Path) -> None:
    net = picture_net_from_recipe(SMALL_CNN, len(NAMES)).eval()
    write_model(card_from_details(classifier_card()), onnx_from_picture_classifier(net, 8), tmp_path)
    model = TrainedClassifier(path=(tmp_path / "cnn-8.onnx").as_posix())
    assert model.predict(np.zeros((2, *SIZE))).shape == (2, 2)
    with pytest.raises(MaterialsError, match=r"takes pictures of the shape \(3, 8, 8\)"):
        model.predict(np.zeros((2, 3, 16, 16)))


def test_half_precision_halves_the_file_and_keeps_what_is_seen() -> None:
    net, pictures = observer_net(), square_rows(20).levels.numpy()
    whole = onnx_from_observer(net, 8)
    half = quantized(whole, "float16")
    assert len(half) < 0.75 * len(whole)
    seen = [observer_from_bytes(content, observer_card()).read(pictures) for content in (whole, half)]
    assert seen[1] == pytest.approx(seen[0], abs=0.02)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"size": (3, 16, 16)}, "its card promises pictures of the shape"),
        ({"attributes": ("place",), "spreads": (1.0,)}, "and 1 attributes"),
    ],
)
def test_an_observer_that_does_not_fit_its_card_is_refused(changes: dict[str, object], words: str) -> None:
    with pytest.raises(MaterialsError, match=words):
        observer_from_bytes(onnx_from_observer(observer_net(), 8), observer_card(**changes))


def test_pictures_of_another_size_are_refused() -> None:
    observer = observer_from_bytes(onnx_from_observer(observer_net(), 8), observer_card())
    with pytest.raises(MaterialsError, match="looks at pictures of 8 x 8 pixels with 3 channels"):
        observer.read(np.zeros((2, 16, 16, 3), np.uint8))


@pytest.mark.parametrize(
    ("changes", "words"),
    [({"spreads": (1.0,)}, "one spread for each"), ({"squared_errors": (1.0,)}, "one squared error for each")],
)
def test_a_card_needs_one_number_for_each_attribute(changes: dict[str, object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        observer_card(**changes)


def test_an_observer_says_what_it_misses() -> None:
    content = onnx_from_observer(observer_net(), 8)
    known = observer_from_bytes(content, observer_card(squared_errors=(0.9, 9.0, 0.0)))
    assert known.unexplained == pytest.approx((0.1, 1.0, 0.0))
    assert observer_from_bytes(content, observer_card()).unexplained == ()


def test_a_missing_file_or_another_card_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MaterialsError, match="Put observer and card there"):
        observer_from_file(tmp_path / "observer-8.onnx")
    net = picture_net_from_recipe(SMALL_CNN, len(NAMES)).eval()
    path = write_model(card_from_details(classifier_card()), onnx_from_picture_classifier(net, 8), tmp_path)
    with pytest.raises(MaterialsError, match="describes a classifier, but an observer is needed"):
        observer_from_file(path)


# What a whole run leaves


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    pictures = write_squares(PictureFolder(folder / "pictures"))
    order = FlowOrder(SMALL, SMALL_CNN, SMALL_OBSERVER, pictures, folder / "state", folder, torch.device("cpu"))
    carry_out(order, is_over=lambda: False, say=lambda _: None)
    return folder


def test_the_parts_of_a_run_become_files_with_cards(run: Path, tmp_path: Path) -> None:
    classifier, observer = nets_from_run(run, tmp_path, recipes=(SMALL_CNN, SMALL_OBSERVER))
    assert {path.name for path in tmp_path.iterdir()} == {
        f"{name}-8.{ending}" for name in ("cnn", "observer") for ending in ("onnx", "json")
    }
    opened = observer_from_file(observer.path)
    assert opened.attributes == NAMES
    assert len(opened.card.squared_errors) == len(NAMES)
    effects = effects_from_run(run, "classifier")
    pictures = PictureFolder(run / "pictures").rows("test", torch.device("cpu")).levels.numpy()
    margins = TrainedClassifier(path=classifier.path.as_posix()).margins(model_inputs(pictures))
    assert margins == pytest.approx(effects.logits, abs=0.01)


def test_a_folder_without_results_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MaterialsError, match=r"results.json is not there"):
        nets_from_run(tmp_path, tmp_path)


def test_an_invertible_network_is_a_model_with_margins_and_latents(run: Path) -> None:
    model = flow_model_from_folder(run, ("left", "right"))
    pictures = PictureFolder(run / "pictures").rows("test", torch.device("cpu")).levels.numpy()
    inputs = model_inputs(pictures)
    assert model.margins(inputs) == pytest.approx(effects_from_run(run).logits, abs=1e-4)
    weights = model.flow.head.weight.detach().numpy()[0]
    bias = float(model.flow.head.bias.detach())
    assert model.latents(inputs) @ weights + bias == pytest.approx(model.margins(inputs), abs=1e-4)
    assert model.predict(inputs).sum(axis=1) == pytest.approx(np.ones(len(inputs)))
    with pytest.raises(MaterialsError, match=r"takes pictures of the shape \(3, 8, 8\)"):
        model.predict(np.zeros((1, 3, 16, 16)))


def test_a_folder_without_a_recipe_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MaterialsError, match="so the shape of the network is unknown"):
        flow_model_from_folder(tmp_path, ("left", "right"))


def test_a_recipe_survives_json() -> None:
    plain = {"name": "inn-8", "n_pixels": 8, "n_steps": [2, 2], "widths": [8, 8], "n_epochs": 2, "of_later": 1}
    wanted = replace(SMALL, steps_per_epoch=1000, batch=128, n_warm=1000, n_initial=500)
    assert flow_recipe_from_json(plain) == wanted
