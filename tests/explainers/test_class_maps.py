"""Class maps: the map of the asked class, on a scale that fits the method."""

from pathlib import Path

import numpy as np
import pytest

from tests.explainers.map_models import HEAD, block_means, write_map_model
from tests.explainers.stage import PictureFormula, picture_inputs
from understudy.errors import MaterialsError
from understudy.explainers import ClassMaps
from understudy.models import MapModel
from understudy.roles import Floats, Model
from understudy.schema import Heatmap, layer_values, merged_heatmaps

pytest.importorskip("onnx", reason="needs the extra torch")


def heatmaps(model: Model, targets: list[int] | None = None, **options: object) -> list[Heatmap]:
    made = ClassMaps.model_validate(options)
    chosen = None if targets is None else np.array(targets)
    found = made.explain(model, picture_inputs(3), chosen, np.random.default_rng(1)).explanations
    return [explanation for explanation in found if isinstance(explanation, Heatmap)]


def values(heatmap: Heatmap) -> Floats:
    return layer_values(heatmap.layers[0], heatmap.limits)


def network_maps() -> Floats:
    """Return the maps of the tiny network, computed in another way."""
    return np.asarray(np.einsum("lc,ncij->nlij", HEAD, block_means(picture_inputs(3))))


@pytest.fixture
def class_maps(tmp_path: Path) -> Model:
    return MapModel(folder=str(write_map_model(tmp_path / "class_maps")))


@pytest.fixture
def patch_logits(tmp_path: Path) -> Model:
    return MapModel(folder=str(write_map_model(tmp_path / "patch_logits", "patch_logits")))


def test_evidence_against_a_class_is_left_out_of_class_maps(class_maps: Model) -> None:
    expected = np.maximum(network_maps()[:, 1], 0)
    for heatmap, wanted in zip(heatmaps(class_maps, [1, 1, 1], scale="shared"), expected, strict=True):
        assert not heatmap.is_signed
        assert heatmap.limits == pytest.approx((0, wanted.max()))
        assert values(heatmap) == pytest.approx(wanted, abs=wanted.max() / 500)


def test_a_map_of_its_own_scale_ends_at_one(class_maps: Model) -> None:
    (heatmap, *_) = heatmaps(class_maps, [1, 1, 1])
    expected = np.maximum(network_maps()[0, 1], 0)
    assert heatmap.limits == (0, 1)
    assert values(heatmap) == pytest.approx(expected / expected.max(), abs=1 / 500)


def test_a_map_without_evidence_is_zero_everywhere(tmp_path: Path) -> None:
    blank = MapModel(folder=str(write_map_model(tmp_path, factor=0.0)))
    assert all((values(heatmap) == 0).all() for heatmap in heatmaps(blank, [1, 1, 1]))


def test_patch_logits_have_a_sign_and_clip_the_largest(patch_logits: Model) -> None:
    (heatmap, *_) = heatmaps(patch_logits, [1, 1, 1], clips=0.1)
    raw = network_maps()[0, 1]
    reach = np.percentile(np.abs(raw), 90)
    assert heatmap.is_signed
    assert heatmap.limits == (-1, 1)
    assert values(heatmap) == pytest.approx(np.clip(raw / reach, -1, 1), abs=1 / 250)


def test_by_default_the_answer_of_the_model_is_explained(class_maps: Model) -> None:
    answers = class_maps.predict(picture_inputs(3)).argmax(axis=1)
    assert heatmaps(class_maps) == heatmaps(class_maps, [int(answer) for answer in answers])


def test_the_class_is_written_only_where_it_is_asked_for(class_maps: Model) -> None:
    assert {heatmap.layers[0].label for heatmap in heatmaps(class_maps, [0, 0, 0])} == {""}
    assert {heatmap.layers[0].label for heatmap in heatmaps(class_maps, [0, 0, 0], names_class=True)} == {"below"}


def test_merged_class_maps_share_the_largest_value(class_maps: Model) -> None:
    parts = [heatmaps(class_maps, [label] * 3, scale="shared")[0] for label in (0, 1)]
    merged = merged_heatmaps(parts)
    expected = np.maximum(network_maps()[0], 0)
    assert merged.limits == pytest.approx((0, expected.max()), rel=1e-6)
    found = np.stack([layer_values(layer, merged.limits) for layer in merged.layers])
    assert found == pytest.approx(expected, abs=expected.max() / 250)


def test_merged_patch_logits_share_the_percentile_of_all(patch_logits: Model) -> None:
    parts = [heatmaps(patch_logits, [label] * 3, scale="shared")[0] for label in (0, 1)]
    merged = merged_heatmaps(parts, clips=0.1)
    assert merged.limits[1] == pytest.approx(np.percentile(np.abs(network_maps()[0]), 90), rel=0.01)
    assert merged.is_signed


def test_a_model_without_maps_is_refused() -> None:
    with pytest.raises(
        MaterialsError, match=r"which an ordinary classifier .PictureFormula. does not have. Bind a map_model"
    ):
        heatmaps(PictureFormula())


def test_a_model_of_another_method_is_sent_to_its_explainer(tmp_path: Path) -> None:
    prototypes = MapModel(folder=str(write_map_model(tmp_path, "prototypes")))
    with pytest.raises(MaterialsError, match=r"has similarities to prototypes\. Bind prototype_matches"):
        heatmaps(prototypes)


def test_more_pictures_than_a_batch_holds_have_the_same_maps(
    class_maps: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = heatmaps(class_maps)
    monkeypatch.setattr("understudy.explainers.picture_inputs.BATCH_BYTES", 1)
    assert heatmaps(class_maps) == whole
