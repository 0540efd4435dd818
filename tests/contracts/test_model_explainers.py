"""Every registered explainer of whole models, ours or from another package, keeps these promises."""

import hashlib
import json
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.explainers.stage import PictureFormula
from understudy import registry
from understudy.datasets import PictureFolder
from understudy.errors import MaterialsError
from understudy.roles import Explained, Floats, ModelExplainer, Sample
from understudy.schema import (
    PictureGrid,
    Ref,
    explanation_from_json,
    explanation_kinds,
    files_named_in,
    json_from_record,
)

N = 60
every = pytest.mark.parametrize("name", registry.names("model_explainers"))
NEEDED: dict[str, dict[str, object]] = {
    "recorded_grid": {"shipped": "sixt2022/baseline"},
    "rendered_counterfactuals": {"moved": ["background", "hue"], "n_rows": 2, "percentile": 70},
}
"""Parameters without defaults."""
TREE = "shipped:kim2022/prototree"
"""A model that is a tree, for explainers of trees."""


class RednessModel:
    """Finds red pictures to be of the second class: a model of rendered pictures that is quick."""

    labels = ("blue", "red")

    def __init__(self, weight: float) -> None:
        self.weight = weight

    def predict(self, inputs: Floats) -> Floats:
        logits = np.clip(self.weight * (inputs[:, 0] - inputs[:, 2]).mean(axis=(1, 2)), -20, 20)
        shares = 1 / (1 + np.exp(-logits))
        return np.column_stack([1 - shares, shares])


def made(name: str, **params: object) -> ModelExplainer:
    given = {**NEEDED.get(name, {}), **params}
    found: ModelExplainer = registry.create("model_explainers", Ref.model_validate({"name": name, "params": given}))
    return found


def pictures(name: str = "", n: int = N) -> Sample:
    """Return pictures that an explainer can be tried on."""
    is_rendered = name == "rendered_counterfactuals"
    ref = Ref(name="rendered_world", params={"edge": 16}) if is_rendered else Ref(name="drawn_shapes")
    sample: Sample = registry.create("datasets", ref).draw(n, np.random.default_rng(1))
    return sample


def explained(name: str, *, seed: int = 1, weight: float = 0.02, **params: object) -> Explained:
    sample = pictures(name)
    if name == "whole_tree":
        model = registry.create("models", Ref(name="map_model", params={"folder": TREE}))
        return made(name, **params).explain_model(model, sample, np.random.default_rng(seed))
    if sample.inputs is None:
        return made(name, **params).explain_model(RednessModel(600 * weight), sample, np.random.default_rng(seed))
    weights = [weight * (-1) ** (k // 7) for k in range(sample.inputs.shape[1])]
    model = registry.create("models", Ref.model_validate({"name": "linear_classifier", "params": {"weights": weights}}))
    return made(name, **params).explain_model(model, sample, np.random.default_rng(seed))


@every
def test_a_model_has_exactly_one_explanation_of_a_declared_kind(name: str) -> None:
    (said,) = explained(name).explanations
    assert said.kind in made(name).kinds
    assert made(name).kinds <= explanation_kinds().keys()


@every
def test_the_explanation_survives_a_round_trip_through_json(name: str) -> None:
    (said,) = explained(name).explanations
    assert explanation_from_json(json.loads(json.dumps(json_from_record(said), allow_nan=False))) == said


@every
def test_it_gives_the_pictures_it_shows_and_no_others(name: str) -> None:
    found = explained(name)
    (said,) = found.explanations
    if isinstance(said, PictureGrid):
        assert {cell.picture.file for row in said.rows for cell in row if cell} == found.files.keys()
    assert set(files_named_in(said, found.files)) == found.files.keys()
    assert all(address.startswith(hashlib.sha256(file).hexdigest()) for address, file in found.files.items())


@every
def test_the_same_randomness_gives_the_same_explanation(name: str) -> None:
    assert explained(name) == explained(name)


@every
@pytest.mark.parametrize("weight", [0.0, 1e6], ids=["constant", "extreme"])
def test_it_survives_any_model_or_says_why_not(name: str, weight: float) -> None:
    # A model that never changes its mind, or only by leaps, has no counterfactuals.
    refuses = name == "rendered_counterfactuals"
    with pytest.raises(MaterialsError, match=r"counterfactual|Only \d of") if refuses else nullcontext():
        assert len(explained(name, weight=weight).explanations) == 1


def test_a_score_grid_shows_photos_of_a_folder_and_writes_only_those(tmp_path: Path) -> None:
    for number, pixels in enumerate(np.random.default_rng(1).integers(256, size=(30, 12, 16, 3), dtype=np.uint8)):
        folder = tmp_path / ("cat", "dog")[number % 2]
        folder.mkdir(exist_ok=True)
        Image.fromarray(pixels).save(folder / f"{number}.jpg")
    sample = PictureFolder(folder=str(tmp_path)).whole()
    explainer = made("score_grid", n_rows=3, n_columns=2)
    found = explainer.explain_model(PictureFormula(), sample, np.random.default_rng(1))
    (grid,) = found.explanations
    assert isinstance(grid, PictureGrid)
    assert len(found.files) == len(sample.assets) == 6
    assert {(cell.picture.width, cell.picture.height) for row in grid.rows for cell in row if cell} == {(16, 12)}


@pytest.mark.parametrize("binning", ["quantiles", "equal_width"])
def test_rows_of_a_score_grid_rise(binning: str) -> None:
    grid = explained("score_grid", binning=binning, n_rows=4, n_columns=3).explanations[0]
    assert isinstance(grid, PictureGrid)
    lows = [float(heading.split("%")[0]) for heading in grid.row_headings]
    assert lows == sorted(lows)
    assert (len(grid.rows), len(grid.rows[0])) == (4, 3)


def test_rows_of_equal_width_stay_empty_where_the_model_gives_no_such_score() -> None:
    grid = explained("score_grid", binning="equal_width", weight=0.0, n_rows=4).explanations[0]
    assert isinstance(grid, PictureGrid)
    assert [any(cell is not None for cell in row) for row in grid.rows] == [False, False, True, False]


def test_items_without_pictures_are_refused_in_one_sentence() -> None:
    model = registry.create("models", Ref(name="linear_classifier", params={"weights": [1.0]}))
    bare = Sample([{"a": 1}], {}, np.zeros((1, 1)))
    with pytest.raises(MaterialsError, match=r"has no pictures\. Name a dataset whose items show some"):
        made("score_grid").explain_model(model, bare, np.random.default_rng(1))
