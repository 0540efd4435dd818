"""Your own decoders: torch modules, linear models and ONNX files become decoder files with cards."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from understudy.errors import MaterialsError
from understudy.inference import decoder_from_file
from understudy.models import export_decoder
from understudy.registry import create
from understudy.roles import Floats
from understudy.schema import Dial, Ref

torch = pytest.importorskip("torch", reason="needs the extra torch")
pytest.importorskip("onnx", reason="needs the extra torch")

DIALS = (
    Dial(kind="discrete", options=("cat", "dog", "owl")),
    Dial(kind="discrete", options=("day", "night")),
    *(Dial(low=-3, high=3) for _ in range(8)),
)


class Linear:
    """What scikit-learn calls a fitted transformer."""

    def __init__(self, matrix: Floats, *, bend: float = 0.0) -> None:
        self.matrix, self.bend = matrix, bend

    def inverse_transform(self, codes: Floats) -> Floats:
        product = codes @ self.matrix + 0.5
        return product + self.bend * product**2


def net(n_inputs: int = 13) -> Any:
    torch.manual_seed(1)
    return torch.nn.Sequential(torch.nn.Linear(n_inputs, 32), torch.nn.Tanh(), torch.nn.Linear(32, 64))


def test_a_torch_module_with_discrete_dials_becomes_a_condition(tmp_path: Path) -> None:
    export_decoder(net(), tmp_path / "mine.onnx", shape=(8, 8), dials=DIALS)
    dataset = create("datasets", Ref(name="reconstruction", params={"file": str(tmp_path / "mine.onnx")}))
    drawn = dataset.draw(5, np.random.default_rng(1))
    assert [len(content["start"]) for content in drawn.contents] == [13] * 5


def test_the_file_decodes_as_the_module_does(tmp_path: Path) -> None:
    module = net()
    export_decoder(module, tmp_path / "mine.onnx", shape=(8, 8), dials=DIALS)
    codes = np.random.default_rng(1).normal(size=(7, 13))
    with torch.no_grad():
        wanted = module(torch.from_numpy(codes).float()).numpy()
    np.testing.assert_allclose(decoder_from_file(tmp_path / "mine.onnx").decode(codes), wanted, atol=1e-5)


def test_codes_become_ranges_starts_and_percentiles(tmp_path: Path) -> None:
    codes = np.random.default_rng(1).normal(size=(400, 3))
    card = export_decoder(net(3), tmp_path / "mine.onnx", shape=(64,), codes=codes, view="line").card
    assert [dial.low for dial in card.dials] == pytest.approx(codes.min(axis=0), abs=1e-4)
    assert len(card.codes) == 250
    assert card.percentiles["50"] == pytest.approx(tuple(np.median(codes, axis=0)), abs=1e-4)


def test_codes_that_never_vary_say_no_range(tmp_path: Path) -> None:
    codes = np.random.default_rng(1).normal(size=(400, 3)) * [1, 0, 1]
    with pytest.raises(MaterialsError, match="never vary in number 2, so they give no range for a dial"):
        export_decoder(net(3), tmp_path / "mine.onnx", shape=(64,), codes=codes, view="line")


def test_a_linear_model_is_read_off_its_inverse(tmp_path: Path) -> None:
    model = Linear(np.random.default_rng(1).normal(size=(4, 64)))
    codes = np.random.default_rng(2).normal(size=(50, 4))
    decoder = export_decoder(model, tmp_path / "pca.onnx", shape=(8, 8), codes=codes)
    np.testing.assert_allclose(decoder.decode(codes), model.inverse_transform(codes), atol=1e-5)


def test_scikit_learn_models_are_taken(tmp_path: Path) -> None:
    decomposition = pytest.importorskip("sklearn.decomposition", reason="needs the extra sklearn")
    rows = np.random.default_rng(1).random((100, 16))
    pca = decomposition.PCA(3).fit(rows)
    decoder = export_decoder(pca, tmp_path / "pca.onnx", shape=(4, 4), codes=pca.transform(rows))
    codes = pca.transform(rows[:5])
    np.testing.assert_allclose(decoder.decode(codes), pca.inverse_transform(codes), atol=1e-5)


@pytest.mark.parametrize("bend", ["relu", "tanh", "logistic", "identity"])
def test_layers_of_scikit_learn_decode_as_they_predict(bend: str, tmp_path: Path) -> None:
    networks = pytest.importorskip("sklearn.neural_network", reason="needs scikit-learn")
    codes = np.random.default_rng(1).normal(size=(200, 3))
    pictures = np.tanh(codes @ np.random.default_rng(2).normal(size=(3, 16)))
    net = networks.MLPRegressor(hidden_layer_sizes=(12, 8), activation=bend, tol=1.0, max_iter=500, random_state=1)
    decoder = export_decoder(net.fit(codes, pictures), tmp_path / "net.onnx", shape=(4, 4), codes=codes)
    np.testing.assert_allclose(decoder.decode(codes), net.predict(codes), atol=1e-5)


def test_a_linear_regression_from_codes_to_pictures_is_taken(tmp_path: Path) -> None:
    linear = pytest.importorskip("sklearn.linear_model", reason="needs scikit-learn")
    codes, pictures = np.random.default_rng(1).normal(size=(60, 3)), np.random.default_rng(2).random((60, 16))
    model = linear.Ridge().fit(codes, pictures)
    decoder = export_decoder(model, tmp_path / "ridge.onnx", shape=(4, 4), codes=codes)
    np.testing.assert_allclose(decoder.decode(codes), model.predict(codes), atol=1e-5)


def test_an_onnx_file_gets_its_card(tmp_path: Path) -> None:
    export_decoder(net(), tmp_path / "first.onnx", shape=(8, 8), dials=DIALS)
    export_decoder(tmp_path / "first.onnx", tmp_path / "second.onnx", shape=(8, 8), dials=DIALS, precision="int8")
    assert decoder_from_file(tmp_path / "second.onnx").card.n_inputs == 13


def test_a_model_that_bends_is_not_taken_for_linear(tmp_path: Path) -> None:
    model = Linear(np.random.default_rng(1).normal(size=(4, 64)), bend=0.1)
    with pytest.raises(MaterialsError, match="inverse_transform of Linear is not linear"):
        export_decoder(model, tmp_path / "bent.onnx", shape=(8, 8), dials=[Dial()] * 4)
    assert not (tmp_path / "bent.onnx").exists()


@pytest.mark.parametrize(
    ("model", "settings", "words"),
    [
        (net(5), {"dials": DIALS}, "torch module failed on codes of 13 numbers"),
        (Linear(np.ones((5, 64))), {"dials": DIALS}, "does not take codes of 13 numbers"),
        (net(), {}, "neither dials nor codes"),
        (net(), {"dials": DIALS, "codes": np.ones((4, 3))}, "codes of decoder 'mine' have 3 numbers"),
        (net(), {"dials": DIALS, "codes": np.full((4, 13), np.nan)}, "not finite"),
        (object(), {"dials": DIALS}, "'object' cannot become a decoder"),
        ("nowhere.onnx", {"dials": DIALS}, "nowhere.onnx is not a file"),
    ],
)
def test_what_does_not_fit_gets_a_sentence(model: Any, settings: dict[str, Any], words: str, tmp_path: Path) -> None:
    with pytest.raises(MaterialsError, match=words):
        export_decoder(model, tmp_path / "mine.onnx", shape=(8, 8), **settings)
