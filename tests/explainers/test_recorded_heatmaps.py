"""Recorded heat maps: each picture gets its own map, on a scale that is stated, and each misfit one sentence."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.explainers.stage import LABELS, PictureFormula, picture_inputs, picture_sample
from understudy.datasets import PictureFolder
from understudy.errors import MaterialsError
from understudy.explainers import RecordedHeatmaps, record_heatmaps
from understudy.roles import Floats, Sample
from understudy.schema import Heatmap
from understudy.schema.explanations.pictures import layer_values

N = 20
MAPS = np.random.default_rng(2).normal(size=(N, 8, 10))


def heatmaps(folder: Path, maps: Any = MAPS, *, n: int = N, order: Any = slice(None), **options: Any) -> list[Heatmap]:
    ref = record_heatmaps(folder / "maps", picture_sample(), maps, **options)
    made = RecordedHeatmaps.model_validate(ref.params)
    found = made.explain(PictureFormula(), picture_inputs(n)[order], None, np.random.default_rng(1))
    assert all(isinstance(explanation, Heatmap) for explanation in found.explanations)
    return [explanation for explanation in found.explanations if isinstance(explanation, Heatmap)]


def drawn(one: Heatmap, layer: int = 0) -> Floats:
    return layer_values(one.layers[layer], one.limits)


def test_each_picture_gets_its_own_map_whatever_their_order(tmp_path: Path) -> None:
    order = [7, 0, 19, 3]
    found = heatmaps(tmp_path, order=order, clips=0)
    step = 2 * np.abs(MAPS).max() / 255
    assert np.stack([drawn(one) for one in found]) == pytest.approx(MAPS[order], abs=step)


def test_the_picture_is_the_file_of_the_item(tmp_path: Path) -> None:
    sample = picture_sample()
    assert [heatmap.picture.file for heatmap in heatmaps(tmp_path)] == [content["image"] for content in sample.contents]


def test_all_maps_share_limits_that_leave_out_the_largest_values(tmp_path: Path) -> None:
    (limits,) = {heatmap.limits for heatmap in heatmaps(tmp_path)}
    assert limits[1] == pytest.approx(np.quantile(np.abs(MAPS), 0.98), rel=0.02)
    assert limits[0] == -limits[1]


def test_maps_on_scales_of_their_own_do_not_tell_how_much_evidence_there_is(tmp_path: Path) -> None:
    strengths = np.linspace(0.1, 9, N)[:, None, None]
    signed, positive = (heatmaps(tmp_path, maps * strengths, scale="per_map") for maps in (MAPS, np.abs(MAPS)))
    assert {heatmap.limits for heatmap in signed} == {(-1.0, 1.0)}
    assert {heatmap.limits for heatmap in positive} == {(0.0, 1.0)}
    assert all(drawn(heatmap).max() == pytest.approx(1) for heatmap in positive)


def test_maps_without_negative_values_are_not_signed(tmp_path: Path) -> None:
    assert {(heatmap.is_signed, heatmap.limits[0]) for heatmap in heatmaps(tmp_path, np.abs(MAPS))} == {(False, 0.0)}
    assert {heatmap.is_signed for heatmap in heatmaps(tmp_path, np.abs(MAPS), is_signed=True)} == {True}


def test_channels_are_summed(tmp_path: Path) -> None:
    channels = np.stack([MAPS, -0.5 * MAPS, 0.25 * MAPS], axis=1)
    found = heatmaps(tmp_path, channels, clips=0)
    assert drawn(found[3]) == pytest.approx(0.75 * MAPS[3], abs=2 * np.abs(MAPS).max() / 255)


@pytest.mark.parametrize("maps", [np.zeros((N, 8, 10)), np.ones((N, 2, 2))], ids=["zero", "constant"])
def test_maps_that_say_nothing_can_be_drawn(maps: Floats, tmp_path: Path) -> None:
    assert len(heatmaps(tmp_path, maps)) == N


def test_tensors_with_gradients_are_taken(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    assert len(heatmaps(tmp_path, torch.tensor(MAPS, requires_grad=True))) == N


def test_the_class_is_named_only_where_the_study_says_so(tmp_path: Path) -> None:
    ref = record_heatmaps(tmp_path / "maps", picture_sample(), MAPS, toward=[LABELS[k % 2] for k in range(N)])
    for names_class, labels in ((False, ["", ""]), (True, [*LABELS])):
        made = RecordedHeatmaps.model_validate({**ref.params, "names_class": names_class})
        found = made.explain(PictureFormula(), picture_inputs(2), None, np.random.default_rng(1)).explanations
        assert [one.layers[0].label for one in found if isinstance(one, Heatmap)] == labels


def test_maps_of_several_classes_are_shown_under_their_names_or_one_for_its_target(tmp_path: Path) -> None:
    ref = record_heatmaps(tmp_path / "maps", picture_sample(), np.stack([MAPS, -MAPS], axis=1), labels=LABELS)
    made, model, inputs = RecordedHeatmaps.model_validate(ref.params), PictureFormula(), picture_inputs(1)
    (both,) = made.explain(model, inputs, None, np.random.default_rng(1)).explanations
    (one,) = made.explain(model, inputs, np.array([1]), np.random.default_rng(1)).explanations
    assert isinstance(both, Heatmap)
    assert isinstance(one, Heatmap)
    assert [layer.label for layer in both.layers] == [*LABELS]
    assert drawn(one) == pytest.approx(drawn(both, 1))


def test_a_byte_for_each_place_is_kept(tmp_path: Path) -> None:
    record_heatmaps(tmp_path / "maps", picture_sample(), MAPS)
    with np.load(tmp_path / "maps.npz") as stored:
        assert stored["maps"].nbytes == MAPS.size


@pytest.mark.parametrize(
    ("maps", "options", "said"),
    [
        (MAPS[:-1], {}, "There are 19 maps, but 20 pictures. Give one map for each picture of whole"),
        (np.where(np.isin(MAPS, MAPS[4, 0, 0]), np.nan, MAPS), {}, "picture 5 has 1 values of 80 that are NaN or infinite"),
        (np.zeros((N, 8, 10, 3)), {}, r"has the shape \(8, 10, 3\), but pictures are 3 channels x 8 x 10"),
        (np.zeros((N, 2, 8, 10)), {}, r"has the shape \(2, 8, 10\)"),
        (np.zeros((N, 16, 20)), {}, "no finer than the picture"),
        (np.zeros((N, 0, 0)), {}, r"Give \(rows, columns\) or \(channels, rows, columns\)"),
        (np.zeros((N, 3, 8, 10)), {"labels": LABELS}, r"Give \(2 classes, rows, columns\)"),
        ([*MAPS[:-1], np.zeros((4, 5))], {}, r"picture 20 has the shape \(1, 4, 5\), but the first one has \(1, 8, 10\)"),
        ([["a"]] * N, {}, "cannot be read as numbers"),
        (MAPS, {"toward": ["above"]}, "`toward` has 1 classes for 20 pictures"),
        (MAPS, {"toward": "above", "labels": LABELS}, "so `toward` has no meaning"),
        (MAPS, {"clips": 1.0}, "`clips` is 1.0"),
    ],
    ids=["count", "nan", "last", "channels", "fine", "empty", "classes", "mixed", "words", "toward", "both", "clips"],
)  # fmt: skip
def test_maps_that_do_not_fit_are_refused_in_one_sentence(
    maps: Any, options: dict[str, Any], said: str, tmp_path: Path
) -> None:
    with pytest.raises(MaterialsError, match=said):
        heatmaps(tmp_path, maps, **options)
    assert not [*tmp_path.iterdir()]


def test_a_picture_without_a_map_is_refused(tmp_path: Path) -> None:
    ref = record_heatmaps(tmp_path / "maps", picture_sample(), MAPS)
    made = RecordedHeatmaps.model_validate(ref.params)
    with pytest.raises(MaterialsError, match=r"maps of 20 pictures, but lacks 1 .* same `edge` and `fit`"):
        made.explain(PictureFormula(), np.zeros((1, 3, 8, 10)), None, np.random.default_rng(1))


def test_a_class_that_the_model_does_not_have_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MaterialsError, match="maps for 'sideways', which the model does not have"):
        heatmaps(tmp_path, toward="sideways")


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"other"])
def test_another_file_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "maps.npz").write_bytes(content)
    with pytest.raises(MaterialsError, match="is not a recording of heat maps"):
        RecordedHeatmaps(path=str(tmp_path / "maps.npz")).explain(
            PictureFormula(), picture_inputs(1), None, np.random.default_rng(1)
        )


def test_rows_of_a_table_are_not_pictures(tmp_path: Path) -> None:
    with pytest.raises(MaterialsError, match=r"Give picture_folder or picture_array \.whole\(\)"):
        record_heatmaps(tmp_path / "maps", Sample([{}], {}, np.zeros((1, 4))), MAPS[:1])


def test_a_photo_that_went_missing_is_named(tmp_path: Path) -> None:
    (tmp_path / "photos" / "cat").mkdir(parents=True)
    file = tmp_path / "photos" / "cat" / "1.png"
    file.write_bytes(next(iter(assets_of(picture_sample(1)).values())))
    photos = PictureFolder(folder=str(tmp_path / "photos")).whole()
    file.unlink()
    with pytest.raises(MaterialsError, match=r"cat/1\.png' is not a file"):
        record_heatmaps(tmp_path / "maps", photos, MAPS[:1])


def assets_of(sample: Sample) -> dict[str, bytes]:
    """Return the files of all pictures."""
    assert list(sample.contents)
    return dict(sample.assets)


def test_single_maps_are_refused_where_a_page_asks_for_classes_with_the_call_that_records_them(tmp_path: Path) -> None:
    made = RecordedHeatmaps.model_validate(record_heatmaps(tmp_path / "maps", picture_sample(), MAPS).params)
    with pytest.raises(
        MaterialsError, match=r"Record those of all classes: record_heatmaps\(path, pictures, maps, labels="
    ):
        made.explain(PictureFormula(), picture_inputs(2), np.array([1, 1]), np.random.default_rng(1))
