"""Classifiers: those that come along, and those that somebody brings."""

import hashlib
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from understudy import registry
from understudy.errors import MaterialsError, UnknownName
from understudy.inference.model_folders import (
    SHELF,
    classifier_from_file,
    models_folder,
    shipped_classifier,
    shipped_classifiers,
)
from understudy.inference.onnx_models import classifier_from_bytes
from understudy.roles import Floats, HasLatents, HasMargins, HasPrototypes, Model, Sample, Vocabulary
from understudy.schema import Ref
from understudy.training.cards import cases_of_recipe
from understudy.training.recipes import classifier_recipe

RNG = np.random.default_rng


def sample(name: str = "income_cases", n: int = 400, split: str = "train") -> Sample:
    made = registry.create("datasets", Ref(name=name, params={"split": split}))
    drawn: Sample = made.draw(n, RNG(1))
    return drawn


def inputs(name: str = "income_cases", n: int = 400) -> Floats:
    drawn = sample(name, n).inputs
    assert drawn is not None
    return drawn


def trained(name: str, entry: str = "trained_classifier", **params: Any) -> Any:
    return registry.create("models", Ref(name=entry, params={"name": name, **params}))


def model(ref: Ref) -> Model:
    made: Model = registry.create("models", ref)
    return made


# Those that come along


@pytest.mark.parametrize("name", shipped_classifiers())
def test_a_shipped_classifier_is_as_right_as_its_card_says(name: str) -> None:
    recipe = classifier_recipe(name)
    if recipe.collection != "demo" and not os.environ.get("UNDERSTUDY_DATA"):
        pytest.skip("needs UNDERSTUDY_DATA with adult")
    test = cases_of_recipe(recipe, Path(os.environ.get("UNDERSTUDY_DATA", "")), "leak_free").test
    held = trained(name)
    right = float(np.mean(held.predict(test.inputs).argmax(axis=1) == test.labels))
    assert right == pytest.approx(held.opened().card.provenance["accuracy"]["test"], abs=0.002)


def test_the_shelf_is_light() -> None:
    assert sum(len((SHELF / f"{name}.onnx").read_bytes()) for name in shipped_classifiers()) < 400_000


@pytest.mark.parametrize("name", ["income-mlp", "reviews-lstm"])
def test_a_plain_classifier_shows_evidence_and_hidden_layer_but_no_prototypes(name: str) -> None:
    held = trained(name)
    assert isinstance(held, HasLatents)
    assert isinstance(held, HasMargins)
    assert not isinstance(held, HasPrototypes)


@pytest.mark.parametrize(
    ("name", "data"), [("income-prototypes", "income_cases"), ("reviews-prototypes", "review_lines")]
)
def test_a_prototype_classifier_decides_by_the_nearest_prototype(name: str, data: str) -> None:
    held = trained(name, "trained_prototypes")
    nearest = held.similarities(inputs(data)).argmax(axis=1)
    predicted = held.predict(inputs(data)).argmax(axis=1)
    assert [held.prototype_labels[one] for one in nearest] == [held.labels[one] for one in predicted]


@pytest.mark.parametrize("name", ["income-prototypes", "reviews-prototypes"])
def test_a_prototype_is_wholly_like_itself(name: str) -> None:
    held = trained(name, "trained_prototypes")
    assert isinstance(held, HasPrototypes)
    np.testing.assert_allclose(np.diag(held.similarities(held.prototype_inputs)), 1, atol=1e-5)


@pytest.mark.parametrize(("name", "data"), [("income-mlp", "income_cases"), ("reviews-lstm", "review_lines")])
def test_the_margin_is_the_log_odds(name: str, data: str) -> None:
    held = trained(name)
    share = held.predict(inputs(data))
    np.testing.assert_allclose(held.margins(inputs(data)), np.log(share[:, 1] / share[:, 0]), atol=1e-3)


def test_padding_changes_nothing_wherever_it_stands() -> None:
    held = trained("reviews-lstm")
    row = [1.0, 12.0, 2.0, 20.0]
    plain = np.array([row])
    gaps = np.array([[row[0], -1, row[1], -1, row[2], row[3], -1]])
    np.testing.assert_allclose(held.predict(plain), held.predict(gaps), atol=1e-6)


def test_a_sentence_without_words_gets_an_answer() -> None:
    held = trained("reviews-lstm")
    assert np.isfinite(held.predict(np.full((2, 3), -1.0))).all()
    assert held.predict(np.zeros((2, 0))).shape == (2, 2)


def test_rows_do_not_depend_on_their_neighbours() -> None:
    held, rows = trained("reviews-lstm"), inputs("review_lines", 700)
    np.testing.assert_allclose(held.predict(rows)[::97], held.predict(rows[::97]), atol=1e-6)


def test_words_have_the_vectors_that_were_learned() -> None:
    legend = sample("review_lines").legend
    assert isinstance(legend, Vocabulary)
    assert trained("reviews-lstm").word_vectors.shape == (len(legend.words), 16)
    assert trained("income-mlp").word_vectors is None


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"name": "income-forest"}, "no classifier 'income-forest' in .*Correct the name: .*income-mlp.* come with"),
        ({"name": "income-mlp-paper"}, "no classifier 'income-mlp-paper' in .*Correct the name"),
        ({"name": "polarity-lstm"}, r"Make it with `understudy train hase2020/polarity-lstm`\.$"),
        ({"name": "polarity-lstm-paper"}, r"`understudy train hase2020/polarity-lstm --split paper`\.$"),
        ({"name": "income-mlp", "digest": "f" * 64}, "is not the one that the study was made with"),
        ({"path": "nowhere.onnx"}, r"nowhere\.onnx is not a file"),
    ],
)
def test_a_classifier_that_is_not_there_is_named(params: dict[str, Any], words: str) -> None:
    with pytest.raises(MaterialsError, match=words):
        registry.create("models", Ref(name="trained_classifier", params=params)).predict(inputs())


@pytest.mark.parametrize("params", [{}, {"name": "income-mlp", "path": "a.onnx"}])
def test_a_classifier_is_found_one_way(params: dict[str, Any]) -> None:
    with pytest.raises(UnknownName, match="give either the name of a classifier or the path of its file"):
        registry.create("models", Ref(name="trained_classifier", params=params))


def test_a_classifier_without_prototypes_is_refused_as_one_with() -> None:
    with pytest.raises(MaterialsError, match="'income-mlp' has no prototypes"):
        trained("income-mlp", "trained_prototypes").predict(inputs())


def test_the_digest_of_a_file_pins_it() -> None:
    digest = hashlib.sha256((SHELF / "income-mlp.onnx").read_bytes()).hexdigest()
    assert trained("income-mlp", digest=digest).predict(inputs()).shape == (400, 2)


@pytest.mark.parametrize(
    ("name", "given", "words"),
    [
        ("income-mlp", np.zeros((3, 5)), r"takes rows of 8 codes \(Age, .*\), but its inputs have the shape \(3, 5\)"),
        ("income-mlp", np.full((3, 8), 7.0), "was given 7 for 'Age', whose codes run from 0 to 2"),
        ("income-mlp", np.full((3, 8), 0.5), "was given 0.5 for 'Age'"),
        ("reviews-lstm", np.full((3, 8), 9999.0), "takes rows of token ids from 0 to"),
    ],
)
def test_inputs_of_another_dataset_are_refused(name: str, given: Floats, words: str) -> None:
    with pytest.raises(MaterialsError, match=words):
        trained(name).predict(given)


def test_the_models_folder_comes_before_the_shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for ending in ("onnx", "json"):
        (tmp_path / f"income-mlp.{ending}").write_bytes((SHELF / f"income-prototypes.{ending}").read_bytes())
    monkeypatch.setenv("UNDERSTUDY_MODELS", str(tmp_path))
    assert trained("income-mlp").opened().has_prototypes
    assert models_folder({}) == Path.home() / ".understudy" / "models"


def test_a_card_of_another_classifier_is_refused() -> None:
    card = shipped_classifier("reviews-lstm").card
    with pytest.raises(MaterialsError, match=r"takes codes and shows .*; its card promises tokens"):
        classifier_from_bytes((SHELF / "income-mlp.onnx").read_bytes(), card)
    with pytest.raises(MaterialsError, match="is not an ONNX model that can be run"):
        classifier_from_bytes(b"nothing", card)


def test_a_damaged_card_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.onnx").write_bytes((SHELF / "income-mlp.onnx").read_bytes())
    (tmp_path / "a.json").write_text('{"name": "a", "takes": "codes", "labels": ["x", "y"]}')
    with pytest.raises(MaterialsError, match=r"a\.json does not fit: .*it needs features"):
        classifier_from_file(tmp_path / "a.onnx")
