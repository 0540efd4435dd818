"""Learners: every recipe learns a clear rule, and the same seed makes the same model."""

from typing import Any, Literal

import numpy as np
import pytest

from understudy import registry
from understudy.errors import MaterialsError, UnknownName
from understudy.probe.trainers import Convolutional, ScikitTrainer, TrainerFrom
from understudy.roles import Ints, Objects, Trainer
from understudy.schema import Ref

NEEDED: dict[str, dict[str, Any]] = {
    "convolutional": {"n_epochs": 4, "batch": 16, "optimizer": "adam", "device": "cpu"},
    "perceptron": {"n_epochs": 20},
    "scikit": {"params": {"n_estimators": 20}},
}
every = pytest.mark.parametrize("name", registry.names("trainers"))


def trainer(name: str) -> Trainer:
    if name == "convolutional":
        pytest.importorskip("torch", reason="the convolutional trainer needs torch")
    made: Trainer = registry.create("trainers", Ref(name=name, params=NEEDED.get(name, {})))
    return made


def bars(n: int, seed: int) -> tuple[Objects, Ints]:
    rng = np.random.default_rng(seed)
    labels = rng.integers(3, size=n)
    pictures = rng.random((n, 12, 12), dtype=np.float32) * 0.6
    for k, label in enumerate(labels):
        pictures[k, 4 * label : 4 * label + 4] += 0.4
    return pictures, labels


@every
def test_a_clear_rule_is_learnt(name: str) -> None:
    model = trainer(name).train(*bars(200, 1), 5)
    inputs, labels = bars(100, 2)
    chances = model.predict(inputs)
    assert (chances.argmax(axis=1) == labels).mean() > 0.9


@every
def test_chances_of_all_classes_sum_to_one(name: str) -> None:
    chances = trainer(name).train(*bars(60, 1), 5).predict(bars(10, 2)[0])
    assert chances.shape == (10, 3)
    np.testing.assert_allclose(chances.sum(axis=1), 1, atol=1e-5)


@every
def test_the_same_seed_makes_the_same_model_and_another_another(name: str) -> None:
    inputs = bars(30, 2)[0]
    one, same, other = (trainer(name).train(*bars(60, 1), seed).predict(inputs) for seed in (5, 5, 6))
    np.testing.assert_array_equal(one, same)
    assert not np.array_equal(one, other)


@pytest.mark.parametrize(("pooling", "is_same"), [("global", True), ("none", False)])
def test_a_network_that_pools_everywhere_cannot_tell_one_corner_from_another(
    pooling: Literal["none", "global"], *, is_same: bool
) -> None:
    pytest.importorskip("torch", reason="the convolutional trainer needs torch")
    drawn = np.random.default_rng(1).random((8, 6, 6), dtype=np.float32)
    corners = np.zeros((2, 8, 20, 20), dtype=np.float32)
    corners[0, :, 4:10, 4:10] = corners[1, :, 9:15, 9:15] = drawn
    model = Convolutional(n_epochs=1, device="cpu", pooling=pooling).train(corners[0], np.arange(8) % 2, 5)
    first, second = map(model.predict, corners)
    assert np.allclose(first, second, atol=1e-6) == is_same


def test_a_class_that_was_never_seen_has_no_chance() -> None:
    inputs, labels = bars(60, 1)
    few = labels != 1
    chances = ScikitTrainer(params={"n_estimators": 5}).train(inputs[few], labels[few], 1).predict(inputs)
    assert chances.shape == (60, 3)
    assert (chances[:, 1] == 0).all()


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        (ScikitTrainer(classifier="Oracle"), "has no classifier 'Oracle'. It has: .*RandomForestClassifier"),
        (ScikitTrainer(params={"leaves": 3}), "does not take these parameters"),
    ],
)
def test_what_scikit_does_not_have_is_refused(entry: ScikitTrainer, words: str) -> None:
    with pytest.raises(UnknownName, match=words):
        entry.train(*bars(10, 1), 1)


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        (ScikitTrainer(params={"n_estimators": -1}), "RandomForestClassifier cannot be fitted .*n_estimators"),
        (ScikitTrainer(params={"random_state": 3}), "random_state is the seed of each run"),
        (
            ScikitTrainer(classifier="RadiusNeighborsClassifier", params={"radius": 1e-9}),
            "RadiusNeighborsClassifier cannot predict the test objects: No neighbors",
        ),
    ],
)
def test_what_scikit_cannot_do_with_these_objects_gets_a_sentence(entry: ScikitTrainer, words: str) -> None:
    with pytest.raises(MaterialsError, match=words):
        entry.train(*bars(30, 1), 1).predict(bars(5, 2)[0])


def test_values_that_a_classifier_never_met_get_a_sentence() -> None:
    rows, labels = np.eye(4, dtype=np.float32), np.array([0, 1, 0, 1])
    model = ScikitTrainer(classifier="CategoricalNB").train(rows, labels, 1)
    with pytest.raises(MaterialsError, match="CategoricalNB cannot predict the test objects"):
        model.predict(9 * rows)


def test_a_thing_that_cannot_learn_is_refused() -> None:
    with pytest.raises(MaterialsError, match="has no fit and no predict_proba"):
        TrainerFrom(lambda _: object()).train(*bars(10, 1), 1)


def test_rows_of_numbers_are_refused_by_a_network_for_pictures() -> None:
    pytest.importorskip("torch", reason="the convolutional trainer needs torch")
    with pytest.raises(MaterialsError, match="learns from pictures"):
        Convolutional(device="cpu").train(np.zeros((4, 5), dtype=np.float32), np.arange(4) % 2, 1)
