"""Prototype matches: a row for each prototype of the class, its region where the map is high, its facts hidden."""

import hashlib
from pathlib import Path

import numpy as np
import pytest

from tests.explainers.map_models import similarity_maps, write_map_model
from tests.explainers.stage import picture_inputs
from understudy.errors import MaterialsError
from understudy.explainers import PrototypeMatching
from understudy.inference.map_models import map_model_from_folder
from understudy.models import MapModel
from understudy.roles import Explained, Model
from understudy.schema import PrototypeMatches, json_from_record
from understudy.sources.heat_maps import enlarged_map, region_of_map

pytest.importorskip("onnx", reason="needs the extra torch")


@pytest.fixture
def model(tmp_path: Path) -> Model:
    return MapModel(folder=str(write_map_model(tmp_path, "prototypes")))


def explained(model: Model, target: int | None = 0, *, n: int = 1, seed: int = 1, **options: object) -> Explained:
    made = PrototypeMatching.model_validate(options)
    targets = None if target is None else np.full(n, target)
    return made.explain(model, picture_inputs(n), targets, np.random.default_rng(seed))


def matches(found: Explained) -> PrototypeMatches:
    explanation = found.explanations[0]
    assert isinstance(explanation, PrototypeMatches)
    return explanation


def facts(found: Explained, field: str) -> list[object]:
    rows = found.truths[0]["rows"]
    assert isinstance(rows, list)
    return [row[field] for row in rows if isinstance(row, dict)]


def test_every_prototype_of_the_class_has_a_row_and_no_other(model: Model) -> None:
    assert sorted(map(str, facts(explained(model, 0), "prototype"))) == ["0", "2", "4"]
    assert sorted(map(str, facts(explained(model, 1), "prototype"))) == ["1", "3"]


def test_similarities_are_the_largest_values_of_the_maps(model: Model) -> None:
    found = explained(model, 0, row_order="by_similarity")
    expected = sorted((similarity_maps(picture_inputs(1))[0, k].max() for k in (0, 2, 4)), reverse=True)
    assert facts(found, "similarity") == pytest.approx(expected, abs=1e-5)
    assert facts(found, "rank") == [1, 2, 3]


def test_facts_follow_the_shown_order(model: Model) -> None:
    found = explained(model, 0)
    assert facts(found, "row_id") == [row.row_id for row in matches(found).rows]
    similarities = [float(str(value)) for value in facts(found, "similarity")]
    ranks = [1 + sum(other > value for other in similarities) for value in similarities]
    assert facts(found, "rank") == ranks


def test_rows_are_shuffled_by_the_seed(model: Model) -> None:
    orders = {tuple(map(str, facts(explained(model, 0, seed=seed), "rank"))) for seed in range(40)}
    assert len(orders) == 6


def test_the_rows_of_two_classes_are_not_shuffled_alike(tmp_path: Path) -> None:
    model = MapModel(folder=str(write_map_model(tmp_path, "prototypes")))
    pairs = {
        tuple(map(str, facts(explained(model, 0, seed=seed, n_rows=2), "rank")))
        == tuple(map(str, facts(explained(model, 1, seed=seed, n_rows=2), "rank")))
        for seed in range(20)
    }
    assert pairs == {True, False}


def test_fewer_rows_are_the_most_similar_ones(model: Model) -> None:
    best = facts(explained(model, 0, row_order="by_similarity"), "prototype")[:2]
    assert set(map(str, facts(explained(model, 0, n_rows=2), "prototype"))) == set(map(str, best))


def test_a_region_is_the_box_around_the_highest_pixels(model: Model) -> None:
    found = explained(model, 0, row_order="by_similarity")
    index = int(str(facts(found, "prototype")[0]))
    pixels = enlarged_map(similarity_maps(picture_inputs(1))[0, index], 8, 10)
    rows, columns = np.nonzero(pixels >= np.percentile(pixels, 95))
    region = matches(found).rows[0].region
    assert (region.left, region.top) == pytest.approx((columns.min() / 10, rows.min() / 8))
    assert region.width == pytest.approx((columns.max() + 1 - columns.min()) / 10)


def test_the_box_of_a_flat_map_is_the_whole_picture() -> None:
    region = region_of_map(np.full((3, 3), 0.2), 30, 60)
    assert (region.left, region.top, region.width, region.height) == (0, 0, 1, 1)


def test_the_box_of_a_single_peak_is_where_the_peak_is() -> None:
    coarse = np.zeros((7, 7))
    coarse[5, 1] = 1.0
    region = region_of_map(coarse, 70, 70)
    assert region.left < 1.5 / 7 < region.left + region.width
    assert region.top < 5.5 / 7 < region.top + region.height
    assert region.width < 0.3


def test_of_two_peaks_the_box_holds_both_or_the_higher_one() -> None:
    coarse = np.zeros((7, 7))
    coarse[5, 1], coarse[1, 5] = 1.0, 0.98
    both, higher = region_of_map(coarse, 70, 70), region_of_map(coarse, 70, 70, box="peak")
    assert both.width > 0.5
    assert higher.width < 0.3
    assert higher.left < 1.5 / 7 < higher.left + higher.width


def test_the_box_around_a_peak_at_the_edge_is_as_wide_as_a_place_of_the_map() -> None:
    coarse = np.zeros((8, 8))
    coarse[7, 0:4] = [1.0, 0.9, 0.9, 0.8]
    region = region_of_map(coarse, 80, 80, box="peak")
    assert region.height >= 0.125
    assert region.top + region.height == pytest.approx(1)
    assert region.left == 0


def test_no_similarity_reaches_the_page_unless_asked(model: Model) -> None:
    assert {row.similarity for row in matches(explained(model)).rows} == {None}
    assert None not in {row.similarity for row in matches(explained(model, shows_scores=True)).rows}


def test_what_the_page_gets_tells_neither_class_nor_prototype(model: Model) -> None:
    written = str(json_from_record(matches(explained(model, 0))))
    assert all(word not in written for word in ("below", "above", "photo-", "prototype'", "rank"))


def test_row_ids_differ_among_all_classes_of_an_item(model: Model) -> None:
    ids = [row.row_id for label in (0, 1) for row in matches(explained(model, label)).rows]
    assert len({*ids}) == 5


def test_every_photo_is_given_under_its_content_address(model: Model) -> None:
    found = explained(model, 0)
    named = {row.source.file for row in matches(found).rows} | {matches(found).picture.file}
    assert named == found.files.keys()
    assert all(address.startswith(hashlib.sha256(content).hexdigest()) for address, content in found.files.items())


def test_a_class_without_prototypes_is_refused(tmp_path: Path) -> None:
    folder = write_map_model(tmp_path / "all", "prototypes")
    prototypes = tuple(
        prototype.model_copy(update={"label": "below"}) for prototype in map_model_from_folder(folder).card.prototypes
    )
    bare = MapModel(folder=str(write_map_model(tmp_path / "bare", "prototypes", prototypes=prototypes)))
    with pytest.raises(MaterialsError, match="has no prototype for the class 'above'"):
        explained(bare, 1)


def test_by_default_the_answer_of_the_model_is_explained(model: Model) -> None:
    answer = int(model.predict(picture_inputs(1)).argmax())
    assert explained(model, None) == explained(model, answer)
