"""Every registered model and explainer, ours or from another package, keeps these promises."""

import hashlib
import json
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.explainers import known_models as known
from tests.explainers.map_models import write_map_model
from tests.explainers.stage import (
    VARIABLES,
    KnownRows,
    PictureFormula,
    PrototypeFormula,
    fields,
    known_datasets,
    picture_inputs,
    picture_sample,
)
from tests.models.own_parts import even_odds, write_onnx
from understudy import registry
from understudy.errors import MaterialsError
from understudy.explainers import record_attributions, record_heatmaps
from understudy.explainers.picture_inputs import pictures_of_inputs
from understudy.models import export_classifier
from understudy.roles import Explained, Explainer, Floats, HasMaps, HasParts, Model, Sample
from understudy.schema import (
    Explanation,
    Heatmap,
    PictureGrid,
    PrototypeMatches,
    Record,
    Ref,
    Several,
    explanation_from_json,
    explanation_kinds,
    files_named_in,
    json_from_record,
)
from understudy.sources.picture_pools import picture_batches

N_FEATURES = 4
MODELS: dict[str, dict[str, Any]] = {
    "linear_classifier": {"weights": [1.0, -2.0, 0.5, 0.0], "bias": 0.1},
    "map_model": {"folder": "class_maps"},
    "onnx_classifier": {"path": "own.onnx", "labels": ["no", "yes"]},
    "pickled_classifier": {"path": "own.joblib"},
    "trained_classifier": {"name": "income-mlp"},
    "trained_prototypes": {"name": "income-prototypes"},
}
OF_CODES = {"trained_classifier", "trained_prototypes"}
"""Models that take the codes of income_cases, and nothing else."""
EXPLAINERS: dict[str, dict[str, Any]] = {"weighted_features": {"features": ["a", "b", "c", "d"]}}
EXPLAINERS["composite"] = {
    "parts": [
        {"name": name, "params": {"background": {"name": "known_rows"}, "n_background": 200}}
        for name in ("lime", "decision_boundary")
    ]
}
EXPLAINERS["recorded_attributions"] = {"path": "said.json"}
EXPLAINERS["recorded_heatmaps"] = {"path": "maps.npz", "names_class": True}
EXPLAINERS["occlusion"] = {"n_cells": 4, "names_class": True}
EXPLAINERS["class_maps"] = {"names_class": True}
EXPLAINERS["class_examples"] = {"dataset": {"name": "known_pictures"}}
EXPLAINERS["prototype_matches"] = EXPLAINERS["tree_path"] = {}
EXPLAINERS["rise"] = {"n_masks": 20, "names_class": True}
EXPLAINERS["integrated_gradients"] = {"n_steps": 4, "names_class": True}
OF_MAPS = {"class_maps": "class_maps", "prototype_matches": "prototypes", "tree_path": "tree"}
"""Read the maps of a model of this method."""
OF_PICTURES = {"class_examples", "integrated_gradients", "occlusion", "recorded_heatmaps", "rise", *OF_MAPS}
"""Explain what a model saw in pictures."""
ON_ROWS: dict[str, Any] = {"background": {"name": "known_rows"}, "n_background": 200}
"""What an explainer is given that has no row above: rows of codes, which it reads by their legend."""
KNOWN_BY_ROW = {"imported_answers", "imported_explanations"}
"""Take rows of released sheets for inputs and no others; tests/hase_stimuli holds them to the same promises."""
every_model = pytest.mark.parametrize("name", sorted({*registry.names("models")} - KNOWN_BY_ROW))
every_explainer = pytest.mark.parametrize("name", sorted({*registry.names("explainers")} - KNOWN_BY_ROW))


def model(name: str = "linear_classifier", **changes: Any) -> Model:
    made: Model = registry.create("models", Ref(name=name, params={**MODELS.get(name, {}), **changes}))
    return made


def explainer(name: str) -> Explainer:
    made: Explainer = registry.create("explainers", Ref(name=name, params=EXPLAINERS.get(name, ON_ROWS)))
    return made


def explained_inputs(name: str, n: int = 20) -> Floats:
    if name in OF_PICTURES:
        return picture_inputs(n)
    return inputs(n) if name == "weighted_features" else known.table_rows(n, 1)


def explained_model(name: str, weight: float | None = None) -> Model:
    if name == "prototype":
        return PrototypeFormula("table")
    if name in OF_MAPS:
        factor = 1.0 if weight is None else weight
        # With this threshold, the pictures come to leaves of both classes.
        folder = write_map_model(Path(f"{name} {weight}"), OF_MAPS[name], factor=factor, threshold=0.82)
        return model("map_model", folder=str(folder))
    if name in OF_PICTURES:
        return PictureFormula() if weight is None else PictureFormula(weight)
    n_columns = explained_inputs(name).shape[1]
    return model(weights=[0.3 * (-1) ** k if weight is None else weight for k in range(n_columns)], bias=0.1)


@pytest.fixture(autouse=True)
def _known_rows(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    yield from known_datasets(monkeypatch, known_rows=KnownRows, known_pictures=KnownPictures)


class KnownPictures(Record):
    """Noisy pictures with the labels of the picture formula."""

    def draw(self, n: int, rng: np.random.Generator) -> Sample:
        return picture_sample(min(n, 40))


def inputs(n: int = 20, *, scale: float = 1.0) -> Floats:
    return np.random.default_rng(1).normal(scale=scale, size=(n, N_FEATURES))


def fitting_inputs(name: str, n: int = 20, *, scale: float = 1.0) -> Floats:
    if name in OF_CODES:
        return np.random.default_rng(1).integers(2, size=(n, 8)).astype(np.float64)
    if name == "map_model":
        return picture_inputs(n)
    return inputs(n, scale=scale)


@pytest.fixture(autouse=True)
def own_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put user models where the study would lie."""
    monkeypatch.chdir(tmp_path)
    export_classifier(even_odds, Path("own"), example=inputs(), labels=("no", "yes"))
    rows = np.vstack([known.table_rows(n, 1) for n in (1, 20)])
    record_attributions(Path("said.json"), Sample([], {}, rows, legend=VARIABLES), rows - 1, toward="yes")
    maps = np.random.default_rng(2).normal(size=(20, 4, 5))
    record_heatmaps(Path("maps.npz"), picture_sample(), maps, toward=PictureFormula.labels[1])
    if find_spec("onnx") is not None:
        write_onnx(Path("own.onnx"), n_inputs=N_FEATURES)
        write_map_model(Path("class_maps"))


@every_model
@pytest.mark.parametrize("n", [0, 1, 20])
def test_a_model_answers_for_each_input(name: str, n: int) -> None:
    predicted = model(name).predict(fitting_inputs(name, n))
    assert predicted.shape[0] == n
    assert not model(name).labels or predicted.shape[1] == len(model(name).labels)


@every_model
@pytest.mark.parametrize("scale", [1.0, 1e6])
def test_probabilities_of_the_labels_make_one(name: str, scale: float) -> None:
    predicted = model(name).predict(fitting_inputs(name, scale=scale))
    assert np.isfinite(predicted).all()
    if model(name).labels:
        assert predicted.sum(axis=1) == pytest.approx(1.0)


@every_model
def test_a_model_answers_the_same_again_and_leaves_its_inputs_alone(name: str) -> None:
    given = fitting_inputs(name)
    first, second = model(name).predict(given), model(name).predict(given)
    assert (first == second).all()
    assert (given == fitting_inputs(name)).all()


def explained(name: str, n: int = 20, *, seed: int = 1, weight: float | None = None) -> Explained:
    """Let an explainer speak about some inputs."""
    made = explained_model(name, weight)
    return explainer(name).explain(made, explained_inputs(name, n), None, np.random.default_rng(seed))


def declared_parts(made: Explainer) -> list[frozenset[str]]:
    """Return the kinds that each part of an explainer declares."""
    parts: list[Explainer] = [registry.create("explainers", part) for part in made.parts] if isinstance(made, HasParts) else []  # fmt: skip
    return [part.kinds for part in parts]


def toward_of(one: Explanation, made: Model) -> str:
    """Return the class that an explanation speaks for."""
    if isinstance(one, PrototypeMatches) and isinstance(made, HasMaps):
        # The page must not learn the class, so that only the photo of a prototype gives it away.
        stored = [(made.source_photo(k).shown, prototype.label) for k, prototype in enumerate(made.card.prototypes)]
        (label,) = {label for photo, label in stored for row in one.rows if row.source == photo}
        return label
    if isinstance(one, PictureGrid):
        sample = picture_sample(40)
        pictures = pictures_of_inputs(next(picture_batches(sample)), method="test")
        labels = dict(zip((picture.shown.file for picture in pictures), sample.attributes["label"], strict=True))
        (label,) = {str(labels[cell.picture.file]) for cell in one.rows[0] if cell is not None}
        return label
    return one.layers[0].label if isinstance(one, Heatmap) else str(fields(one)["toward"])


@every_explainer
def test_an_explainer_declares_kinds_that_exist(name: str) -> None:
    assert explainer(name).kinds
    assert explainer(name).kinds <= explanation_kinds().keys()


@every_explainer
@pytest.mark.parametrize("n", [0, 1, 20])
def test_an_explainer_says_something_of_its_kinds_about_each_input(name: str, n: int) -> None:
    said = explained(name, n).explanations
    assert len(said) == n
    assert {explanation.kind for explanation in said} <= explainer(name).kinds


@every_explainer
def test_the_parts_of_an_explanation_are_of_the_kinds_their_methods_declare(name: str) -> None:
    allowed = declared_parts(explainer(name))
    for explanation in explained(name).explanations:
        parts = explanation.parts if isinstance(explanation, Several) else ()
        assert len(parts) == len(allowed)
        assert all(part.kind in kinds for part, kinds in zip(parts, allowed, strict=True))


@every_explainer
def test_the_same_randomness_gives_the_same_explanations(name: str) -> None:
    assert explained(name, seed=2) == explained(name, seed=2)


@every_explainer
@pytest.mark.parametrize("weight", [0.0, 1e6], ids=["constant", "extreme"])
def test_an_explainer_survives_any_model_and_survives_a_round_trip_through_json(name: str, weight: float) -> None:
    for explanation in explained(name, weight=weight).explanations:
        written = json.dumps(json_from_record(explanation), allow_nan=False)
        assert explanation_from_json(json.loads(written)) == explanation


@every_explainer
def test_an_explainer_shows_no_picture_that_it_does_not_give(name: str) -> None:
    found = explained(name)
    named = {
        address for explanation in found.explanations for address in files_named_in(explanation, frozenset(found.files))
    }
    assert named == found.files.keys()
    assert all(address.startswith(hashlib.sha256(file).hexdigest()) for address, file in found.files.items())


REFUSES_TARGETS = frozenset({
    "anchor", "composite", "decision_boundary", "imported_explanations", "recorded_attributions", "recorded_heatmaps",
    "tree_path",
})  # fmt: skip
"""Methods that explain one class only: the answer of the model, or the class that was recorded; or have such a part."""


@every_explainer
def test_an_explainer_speaks_for_its_targets_or_refuses_them(name: str) -> None:
    made, rows = explained_model(name), explained_inputs(name)
    refused = set()
    for target in (0, 1):
        try:
            found = explainer(name).explain(made, rows, np.full(len(rows), target), np.random.default_rng(1))
        except MaterialsError as error:
            refused.add(str(error))
        else:
            assert {toward_of(explanation, made) for explanation in found.explanations} == {made.labels[target]}
    assert bool(refused) == (name in REFUSES_TARGETS)
    assert all("class" in sentence for sentence in refused)


@every_explainer
def test_explaining_leaves_the_inputs_alone(name: str) -> None:
    given = explained_inputs(name)
    explainer(name).explain(explained_model(name), given, None, np.random.default_rng(1))
    assert (given == explained_inputs(name)).all()


def test_weighted_features_of_a_linear_model_are_weight_times_value() -> None:
    said = explainer("weighted_features").explain(model(), inputs(), None, np.random.default_rng(1)).explanations
    weights = np.array([fields(explanation)["weights"] for explanation in said])
    assert weights == pytest.approx(inputs() * [1.0, -2.0, 0.5, 0.0], abs=1e-5)


def test_features_that_do_not_matter_weigh_nothing() -> None:
    said = (
        explainer("weighted_features")
        .explain(model(weights=[0.0] * N_FEATURES), inputs(), None, np.random.default_rng(1))
        .explanations
    )
    assert all(fields(explanation)["weights"] == [0.0] * N_FEATURES for explanation in said)


def test_a_model_with_too_few_weights_is_refused() -> None:
    with pytest.raises(MaterialsError, match="has 2 weights, but its inputs have 4 features"):
        model(weights=[1.0, 2.0]).predict(inputs())


def test_an_explanation_that_names_too_few_features_is_refused() -> None:
    short: Explainer = registry.create("explainers", Ref(name="weighted_features", params={"features": ["a"]}))
    with pytest.raises(MaterialsError, match="names 1 features, but its inputs have 4"):
        short.explain(model(), inputs(), None, np.random.default_rng(1))
