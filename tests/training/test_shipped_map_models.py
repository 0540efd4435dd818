"""The map models that come with understudy: small, complete, and as accurate as their cards say."""

from pathlib import Path

import numpy as np
import onnxruntime
import pytest

import understudy.protocols
from understudy.schema.model_cards import MapModelCard

MATERIAL = Path(understudy.protocols.__file__).parent / "kim2022" / "material"
METHODS = {"gradcam": "class_maps", "bagnet": "patch_logits", "protopnet": "prototypes", "prototree": "tree"}


def _card(name: str) -> MapModelCard:
    return MapModelCard.model_validate_json((MATERIAL / name / "card.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", METHODS)
def test_a_shipped_model_is_small_and_has_all_its_photos(name: str) -> None:
    card, files = _card(name), [*(MATERIAL / name).iterdir()]
    assert card.method == METHODS[name]
    assert sum(path.stat().st_size for path in files) < 1_500_000
    assert {path.name for path in files} == {"model.onnx", "card.json", *(each.source for each in card.prototypes)}


@pytest.mark.parametrize("name", METHODS)
def test_a_shipped_model_gives_probabilities_and_maps_for_its_labels(name: str) -> None:
    card = _card(name)
    session = onnxruntime.InferenceSession(MATERIAL / name / "model.onnx")
    pictures = np.random.default_rng(0).random((2, *card.size), dtype=np.float32)
    probabilities, maps = session.run(["probabilities", "maps"], {"pictures": pictures})
    assert probabilities.shape == (2, 12)
    assert np.allclose(probabilities.sum(1), 1, atol=1e-4)
    assert maps.shape == (2, len(card.prototypes) or 12, 12, 12)


def test_the_patch_logits_of_the_shipped_bagnet_explain_its_decision() -> None:
    session = onnxruntime.InferenceSession(MATERIAL / "bagnet" / "model.onnx")
    pictures = np.random.default_rng(0).random((2, 3, 96, 96), dtype=np.float32)
    probabilities, maps = session.run(["probabilities", "maps"], {"pictures": pictures})
    logits = maps.mean((2, 3), dtype=np.float64)
    expected = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    assert np.allclose(probabilities, expected, atol=1e-5)
