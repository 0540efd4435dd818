"""Every registered model and explainer, whoever wrote it, keeps these promises."""

import json
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.explainers import known_models as known
from tests.explainers.stage import VARIABLES, KnownRows, PrototypeFormula
from tests.models.own_parts import even_odds, write_onnx
from understudy import registry
from understudy.errors import MaterialsError
from understudy.explainers import background, record_attributions
from understudy.models import export_classifier
from understudy.roles import Explainer, Floats, Model, Sample
from understudy.schema import Ref

N_FEATURES = 4
MODELS: dict[str, dict[str, Any]] = {
    "linear_classifier": {"weights": [1.0, -2.0, 0.5, 0.0], "bias": 0.1},
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
    return inputs(n) if name == "weighted_features" else known.table_rows(n, 1)


def explained_model(name: str, weight: float | None = None) -> Model:
    if name == "prototype":
        return PrototypeFormula("table")
    n_columns = explained_inputs(name).shape[1]
    return model(weights=[0.3 * (-1) ** k if weight is None else weight for k in range(n_columns)], bias=0.1)


@pytest.fixture(autouse=True)
def _known_rows(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    registry.names("datasets")
    monkeypatch.setitem(registry._entries, ("datasets", "known_rows"), KnownRows)
    yield
    background._background.cache_clear()


def inputs(n: int = 20, *, scale: float = 1.0) -> Floats:
    return np.random.default_rng(1).normal(scale=scale, size=(n, N_FEATURES))


def fitting_inputs(name: str, n: int = 20, *, scale: float = 1.0) -> Floats:
    if name in OF_CODES:
        return np.random.default_rng(1).integers(2, size=(n, 8)).astype(np.float64)
    return inputs(n, scale=scale)


@pytest.fixture(autouse=True)
def own_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put models of one's own where the study would lie."""
    monkeypatch.chdir(tmp_path)
    export_classifier(even_odds, Path("own"), example=inputs(), labels=("no", "yes"))
    rows = np.vstack([known.table_rows(n, 1) for n in (1, 20)])
    record_attributions(Path("said.json"), Sample([], {}, rows, legend=VARIABLES), rows - 1, toward="yes")
    if find_spec("onnx") is not None:
        write_onnx(Path("own.onnx"), n_inputs=N_FEATURES)


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


@every_explainer
@pytest.mark.parametrize("n", [0, 1, 20])
def test_an_explainer_says_something_of_its_kind_about_each_input(name: str, n: int) -> None:
    said = explainer(name).explain(explained_model(name), explained_inputs(name, n), np.random.default_rng(1))
    assert len(said) == n
    assert {one.kind for one in said} <= {explainer(name).kind}


@every_explainer
def test_the_same_randomness_gives_the_same_explanations(name: str) -> None:
    first, second = (
        explainer(name).explain(explained_model(name), explained_inputs(name), np.random.default_rng(2))
        for _ in range(2)
    )
    assert first == second


@every_explainer
@pytest.mark.parametrize("weight", [0.0, 1e6], ids=["constant", "extreme"])
def test_an_explainer_survives_any_model_and_can_be_written_as_json(name: str, weight: float) -> None:
    said = explainer(name).explain(explained_model(name, weight), explained_inputs(name), np.random.default_rng(1))
    assert all(json.loads(json.dumps(one.payload, allow_nan=False)) == one.payload for one in said)


@every_explainer
def test_explaining_leaves_the_inputs_alone(name: str) -> None:
    given = explained_inputs(name)
    explainer(name).explain(explained_model(name), given, np.random.default_rng(1))
    assert (given == explained_inputs(name)).all()


def test_weighted_features_of_a_linear_model_are_weight_times_value() -> None:
    said = explainer("weighted_features").explain(model(), inputs(), np.random.default_rng(1))
    weights = np.array([one.payload["weights"] for one in said])
    assert weights == pytest.approx(inputs() * [1.0, -2.0, 0.5, 0.0], abs=1e-5)


def test_features_that_do_not_matter_weigh_nothing() -> None:
    said = explainer("weighted_features").explain(model(weights=[0.0] * N_FEATURES), inputs(), np.random.default_rng(1))
    assert all(one.payload["weights"] == [0.0] * N_FEATURES for one in said)


def test_a_model_with_too_few_weights_is_refused() -> None:
    with pytest.raises(MaterialsError, match="has 2 weights, but its inputs have 4 features"):
        model(weights=[1.0, 2.0]).predict(inputs())


def test_an_explanation_that_names_too_few_features_is_refused() -> None:
    short: Explainer = registry.create("explainers", Ref(name="weighted_features", params={"features": ["a"]}))
    with pytest.raises(MaterialsError, match="names 1 features, but its inputs have 4"):
        short.explain(model(), inputs(), np.random.default_rng(1))
