"""Scores of the maps that a prepared study shows, and their link with people's answers."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.explainers.map_models import HEAD, SIZE, block_means, write_map_model
from tests.explainers.stage import LABELS, picture_inputs
from tests.playing import stage, study_of
from tests.small_studies import RIGHT_OR_WRONG
from understudy.errors import MaterialsError, TableError
from understudy.explainers import ClassMaps, PrototypeMatching
from understudy.heatmap_scores import (
    MapScores,
    draw_score_link,
    randomisation_scores,
    regions_of_pictures,
    scored_maps,
    scores_and_answers,
)
from understudy.inference.onnx_graphs import with_shuffled_head
from understudy.models import MapModel
from understudy.prepare import prepare, write_prepared
from understudy.roles import Sample
from understudy.schema import Region
from understudy.sources.picture_pools import MemoryPool, sample_of_pictures

pytest.importorskip("onnx", reason="needs the extra torch")
N = 12
UPPER = Region(left=0, top=0, width=1, height=0.5)


def pictures() -> Sample:
    """Return dark pictures with one red block, in the upper half of every second one."""
    pixels = np.zeros((N, *SIZE[1:], 3), dtype=np.uint8)
    for index, picture in enumerate(pixels):
        top = (0 if index % 2 == 0 else 4) + 2 * (index % 4 // 2)
        picture[top : top + 2, 2 * (index % 5) : 2 * (index % 5) + 2, 0] = 130 + 10 * index
    return sample_of_pictures(MemoryPool(pixels), {"label": [LABELS[1]] * N})


@pytest.fixture
def prepared(tmp_path: Path) -> Path:
    """Prepare a study that shows the class map of each picture."""
    pool = pictures().pictures
    assert pool is not None
    np.savez(tmp_path / "pictures.npz", pictures=pool.read(range(N)), labels=np.array([LABELS[1]] * N))
    write_map_model(tmp_path / "model")
    study = study_of(
        {**stage("show", "all", explains=True), "task": {"name": "judge", "params": {"questions": [RIGHT_OR_WRONG]}}},
        bindings=[{"model": {"name": "map_model", "params": {"folder": "model"}}, "explainer": "class_maps"}],
        item_sets=[{"name": "all", "n_items": N, "dataset": {"name": "picture_array", "params": {"path": "pictures.npz"}}}],
    )  # fmt: skip
    return write_prepared(prepare(study, tmp_path), tmp_path / "run")


@pytest.fixture
def scores(prepared: Path) -> MapScores:
    regions = regions_of_pictures(pictures(), [UPPER] * N)
    return scored_maps(prepared, regions, model=MapModel(folder=str(prepared.parent / "model")))


def test_every_shown_map_has_a_row(scores: MapScores) -> None:
    assert len(scores.maps) == N
    assert scores.maps["item"].nunique() == N
    assert set(scores.maps["target"]) == {LABELS[1]}


def test_half_of_the_maps_point_into_the_upper_half(scores: MapScores) -> None:
    pointing = scores.summary[scores.summary["score"] == "pointing"]
    mean, low, high, n_items = (float(pointing[name].iloc[0]) for name in ("mean", "low", "high", "n_items"))
    assert mean == pytest.approx(0.5)
    assert low < 0.5 < high
    assert n_items == N


def test_boxes_and_masks_of_the_same_region_score_alike(prepared: Path, scores: MapScores) -> None:
    mask = np.zeros(SIZE[1:], dtype=bool)
    mask[:4] = True
    by_mask = scored_maps(prepared, regions_of_pictures(pictures(), [mask] * N))
    assert (by_mask.maps["energy"] == scores.maps["energy"]).all()


def test_boxes_are_joined() -> None:
    halves = [Region(left=0, top=0, width=0.5, height=1), Region(left=0.5, top=0, width=0.5, height=1)]
    assert all(mask.all() for mask in regions_of_pictures(pictures(), [halves] * N).values())


def test_removing_what_a_map_shows_lowers_the_answer(scores: MapScores) -> None:
    assert (scores.maps["deletion"] < scores.maps["insertion"]).all()


def test_without_a_model_nothing_is_deleted(prepared: Path) -> None:
    found = scored_maps(prepared, regions_of_pictures(pictures(), [UPPER] * N))
    assert "deletion" not in found.maps


def test_a_picture_without_a_region_is_counted(prepared: Path) -> None:
    regions = regions_of_pictures(pictures(), [UPPER] * N)
    regions.pop(next(iter(regions)))
    with pytest.raises(MaterialsError, match="1 of the 12 pictures with heat maps have no region"):
        scored_maps(prepared, regions)


def test_too_few_regions_are_refused() -> None:
    with pytest.raises(MaterialsError, match="There are 2 regions for 12 pictures"):
        regions_of_pictures(pictures(), [UPPER] * 2)


def answers(scores: MapScores) -> pd.DataFrame:
    """Let five people be right the more often the more energy a map has in the region."""
    rows = [
        {"participant": f"p{person}", "trial": trial, "correct": float(energy > person / 5), "is_synthetic": True}
        for person in range(5)
        for trial, energy in zip(scores.maps["trial"], scores.maps["energy"], strict=True)
    ]
    return pd.DataFrame(rows)


def test_answers_that_follow_a_score_correlate_with_it(scores: MapScores) -> None:
    link = scores_and_answers(scores, answers(scores), score="energy", answer="correct")
    assert link.correlation.r > 0.9
    assert link.correlation.interval.low > 0.5
    assert (link.correlation.n_items, link.correlation.n_people) == (N, 5)


def test_the_figure_says_the_correlation_and_that_people_are_simulated(scores: MapScores, tmp_path: Path) -> None:
    link = scores_and_answers(scores, answers(scores), score="energy", answer="correct")
    drawn = draw_score_link(link, tmp_path / "link.svg").read_text(encoding="utf-8")
    assert f"r = {link.correlation.r:.2f}" in drawn
    assert "SYNTHETIC" in drawn


def test_an_unknown_column_is_told_the_known_ones(scores: MapScores) -> None:
    with pytest.raises(TableError, match=r"no column of numbers 'accuracy'. It has: .*correct"):
        scores_and_answers(scores, answers(scores), score="energy", answer="accuracy")


def test_too_few_items_are_refused(scores: MapScores) -> None:
    few = answers(scores)
    with pytest.raises(TableError, match="2 items have both"):
        scores_and_answers(
            scores, few[few["trial"].isin(sorted(set(few["trial"]))[:2])], score="energy", answer="correct"
        )


def test_the_map_of_a_shuffled_head_is_another_one(tmp_path: Path) -> None:
    folder = write_map_model(tmp_path / "trained")
    random = write_map_model(tmp_path / "random")
    (random / "model.onnx").write_bytes(
        with_shuffled_head((folder / "model.onnx").read_bytes(), np.random.default_rng(3))
    )
    models = MapModel(folder=str(folder)), MapModel(folder=str(random))
    same, other = (
        randomisation_scores(ClassMaps(), pair, picture_inputs(), np.random.default_rng(1))
        for pair in ((models[0], models[0]), models)
    )
    assert same == pytest.approx(np.ones(20))
    assert other.mean() < 0.9


def test_a_shuffled_head_keeps_its_weights_in_another_order(tmp_path: Path) -> None:
    folder = write_map_model(tmp_path / "random")
    content = with_shuffled_head((folder / "model.onnx").read_bytes(), np.random.default_rng(3))
    (folder / "model.onnx").write_bytes(content)
    maps = MapModel(folder=str(folder)).maps(picture_inputs(2))
    features = block_means(picture_inputs(2)).reshape(2, 3, -1)
    found = np.linalg.lstsq(features[0].T, maps[0].reshape(2, -1).T, rcond=None)[0].T
    assert np.sort(found.ravel()) == pytest.approx(np.sort(HEAD.ravel()), abs=1e-4)
    assert found != pytest.approx(HEAD, abs=1e-3)


def test_the_randomisation_check_needs_heat_maps(tmp_path: Path) -> None:
    model = MapModel(folder=str(write_map_model(tmp_path, "prototypes")))
    with pytest.raises(MaterialsError, match="compares heat maps"):
        randomisation_scores(PrototypeMatching(), (model, model), picture_inputs(1), np.random.default_rng(1))
