"""What a whole run of training left becomes the observer and the key of the ready studies."""

import json
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs the extra torch")
pytest.importorskip("onnx", reason="needs the extra torch")

from tests.training.squares import SMALL_CNN, SMALL_OBSERVER  # noqa: E402
from understudy.inference.onnx_models import observer_from_file  # noqa: E402
from understudy.protocols.sixt2022.material_key import (  # noqa: E402
    KeyOrder,
    check_counterfactuals,
    main,
    write_key,
    write_observer,
)
from understudy.schema import GridFile, relevance_key_from_text  # noqa: E402
from understudy.schema.explanations.pictures import RecordedCell  # noqa: E402
from understudy.sources.grids import picture_name, write_grid_folder  # noqa: E402
from understudy.training.export import write_parts  # noqa: E402
from understudy.training.picture_training import picture_net_from_recipe  # noqa: E402
from understudy.worlds.sixt2022 import sixt2022  # noqa: E402

NAMES = sixt2022().names


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    """A run whose network follows the legs alone, with nets that never learned."""
    folder = tmp_path / "weights"
    nets = {
        "classifier": picture_net_from_recipe(SMALL_CNN, len(NAMES)),
        "observer": picture_net_from_recipe(SMALL_OBSERVER, len(NAMES)),
    }
    write_parts(nets, folder)
    rng = np.random.default_rng(0)
    logits = rng.normal(size=60)
    arrays = {"flow-logits": logits}
    for name in NAMES:
        arrays[f"flow-moved-{name}"] = rng.normal(size=60)
        arrays[f"flow-changed-{name}"] = logits + (arrays["flow-moved-legs"] if name == "legs" else rng.normal(size=60))
        arrays[f"flow-lengths-{name}"] = np.ones(60)
    np.savez_compressed(folder / "effects.npz", allow_pickle=False, **arrays)
    results = {
        "weight_length": 1.0,
        "accuracy": {"flow": 0.95, "classifier": 0.96},
        "observer_squared_errors": dict.fromkeys(NAMES, 0.01),
        "software": {"torch": "2"},
        "device": "cpu",
    }
    (folder / "results.json").write_text(json.dumps(results))
    return folder


def test_the_key_follows_from_what_the_run_measured(weights: Path, tmp_path: Path) -> None:
    key = write_key(KeyOrder(weights, tmp_path / "material"))
    assert [name for name, verdict in key.verdicts.items() if verdict == "relevant"] == ["legs"]
    stored = (tmp_path / "material" / "answer_key.json").read_text()
    assert relevance_key_from_text(stored, "answer_key.json") == key


def test_the_observer_of_the_run_checks_the_counterfactuals_of_the_material(weights: Path, tmp_path: Path) -> None:
    order = KeyOrder(weights, tmp_path / "material", n_pixels=8)
    path = write_observer(order, (SMALL_CNN, SMALL_OBSERVER))
    assert observer_from_file(path).attributes == NAMES
    cells = tuple(tuple(RecordedCell(file=picture_name(row, column)) for column in range(3)) for row in range(2))
    same = [[np.full((8, 8, 3), 100, np.uint8)] * 3] * 2
    write_grid_folder(order.out / "counterfactuals", GridFile(method="made up", rows=cells), same)
    check = check_counterfactuals(order, write_key(order))
    assert [row.attribute for row in check.attributes if row.verdict == "should move"] == ["legs"]
    assert (order.out / "observer_check.json").is_file()


def test_a_folder_without_a_run_is_refused_in_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--weights", str(tmp_path), "--out", str(tmp_path)]) == 2
    assert "effects.npz is not there" in capsys.readouterr().err
