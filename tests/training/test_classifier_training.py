"""Training of classifiers: seeded, whole passes, prototypes on cases, and files that answer as the net does."""

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.case_files import write_adult, write_polarity
from tests.shell import understudy
from understudy.errors import MaterialsError
from understudy.inference.cards import ClassifierCard
from understudy.inference.model_folders import classifier_from_file
from understudy.inference.onnx_models import classifier_from_bytes
from understudy.sources.adult import adult_cases
from understudy.sources.cases import Cases
from understudy.sources.income import income_cases
from understudy.sources.reviews import review_cases
from understudy.training.cards import cases_of_recipe, classifier_card
from understudy.training.recipes import ClassifierRecipe, classifier_recipe, stage_epochs

torch = pytest.importorskip("torch", reason="needs the extra torch")
pytest.importorskip("onnx", reason="needs the extra torch")

from understudy.training.classifier_nets import classifier_from_recipe  # noqa: E402
from understudy.training.classifiers import (  # noqa: E402  # noqa: E402
    CaseRows,
    Stage,
    TrainedClassifier,
    centres_of,
    is_correct,
    latents_of,
    rows_from_part,
    run_stage,
    trained_classifier,
)

torch.set_num_threads(1)
SHORT = {"income-mlp": 3, "income-prototypes": 3, "reviews-lstm": 1, "reviews-prototypes": 1}
every = pytest.mark.parametrize("name", SHORT)


def cases_for(recipe: ClassifierRecipe) -> Cases:
    return income_cases() if recipe.cases == "income" else review_cases()


@cache
def short_run(name: str, seed: int = 10) -> TrainedClassifier:
    recipe = replace(classifier_recipe(name), n_epochs=SHORT[name], seed=seed)
    made: TrainedClassifier = trained_classifier(recipe, cases_for(recipe))
    return made


def card_of(name: str, trained: TrainedClassifier) -> ClassifierCard:
    recipe = classifier_recipe(name)
    return classifier_card(recipe, cases_for(recipe), trained.prototypes, trained.provenance)


@every
def test_the_file_answers_as_the_net_does(name: str) -> None:
    trained = short_run(name)
    classifier = classifier_from_bytes(trained.content, card_of(name, trained))
    inputs = cases_for(classifier_recipe(name)).test.inputs[:300]
    rows = CaseRows(torch.from_numpy(inputs).long(), torch.zeros(300, dtype=torch.long))
    with torch.no_grad():
        evidence = trained.net(rows.inputs).double()
    np.testing.assert_allclose(classifier.predict(inputs), evidence.softmax(1), atol=1e-5)
    np.testing.assert_allclose(classifier.margins(inputs), evidence[:, 1] - evidence[:, 0], atol=1e-4)
    np.testing.assert_allclose(classifier.latents(inputs), latents_of(trained.net, rows), atol=1e-5)


@every
def test_the_same_seed_makes_the_same_file_and_another_another(name: str) -> None:
    assert short_run(name).content == short_run.__wrapped__(name).content
    assert short_run(name).content != short_run(name, seed=11).content


@pytest.mark.parametrize("name", ["income-prototypes", "reviews-prototypes"])
def test_every_prototype_is_a_training_case_of_its_class_and_no_two_are_the_same(name: str) -> None:
    card = card_of(name, short_run(name))
    train = cases_for(classifier_recipe(name)).train
    labels = {tuple(int(one) for one in row if one >= 0): int(k) for row, k in zip(*train[:2], strict=True)}
    assert len(set(card.prototypes)) == 2 * classifier_recipe(name).n_prototypes
    assert [card.labels[labels[prototype]] for prototype in card.prototypes] == list(card.prototype_labels)


def joint(**changes: Any) -> ClassifierRecipe:
    """Return a recipe whose prototypes learn with their encoder from the first pass."""
    settings: dict[str, Any] = {
        "starts_from": "",
        "clustering": 0.8,
        "separation": 0.08,
        "prototypes_from": "right",
        "first_push": 1,
    }
    return replace(classifier_recipe("income-prototypes"), n_epochs=4, **(settings | changes))


def test_prototypes_that_learn_with_their_encoder_end_on_cases_that_it_classifies_correctly() -> None:
    trained = trained_classifier(joint(), income_cases())
    train = rows_from_part(income_cases().train)
    rows = torch.from_numpy(trained.prototypes)
    assert len(set(trained.prototypes.tolist())) == 16
    np.testing.assert_allclose(trained.net.state_dict()["head.places"], latents_of(trained.net, train)[rows], atol=1e-6)
    assert is_correct(trained.net, train)[rows].all()


def test_prototypes_that_learn_with_their_encoder_come_with_a_loss_that_falls() -> None:
    told = trained_classifier(joint(), income_cases()).provenance
    assert told["best_epoch"] >= 2
    assert "first_stage" not in told
    assert len(told["loss_by_epoch"]) == len(told["validation_by_epoch"]) == 4
    assert told["loss_by_epoch"][-1] < told["loss_by_epoch"][0]


def test_a_recipe_without_a_first_stage_takes_its_own_epochs_only() -> None:
    assert stage_epochs(classifier_recipe("polarity-prototypes")) == (9,)
    assert stage_epochs(classifier_recipe("adult-prototypes")) == (300, 300)


def test_another_split_has_the_same_sizes_and_other_cases(tmp_path: Path) -> None:
    write_polarity(tmp_path / "rt-polarity")
    recipe = classifier_recipe("polarity-lstm")
    first, same, other = (cases_of_recipe(recipe, tmp_path, "leak_free", split_seed=seed) for seed in (None, 10, 11))
    assert first is same
    assert len(first.test.labels) == len(other.test.labels)
    assert first.test.sources.tolist() != other.test.sources.tolist()


def test_generated_cases_have_one_split() -> None:
    with pytest.raises(MaterialsError, match="are generated with one split"):
        cases_of_recipe(classifier_recipe("income-mlp"), Path(), "leak_free", split_seed=2)


def test_a_pass_shows_every_case_once() -> None:
    recipe = replace(classifier_recipe("income-mlp"), n_epochs=1)
    cases = income_cases()
    net = classifier_from_recipe(recipe, cases.legend, 2, torch.Generator().manual_seed(1))
    seen: list[tuple[int, ...]] = []

    def note(_body: Any, given: Any) -> None:
        if net.training:
            seen.extend(map(tuple, given[0].tolist()))

    net.body.register_forward_pre_hook(note)
    run_stage(net, recipe, Stage(rows_from_part(cases.train), rows_from_part(cases.validation)))
    assert sorted(seen) == sorted(map(tuple, cases.train.inputs.astype(int).tolist()))


def test_the_best_pass_is_kept_and_patience_ends_the_rest() -> None:
    recipe = replace(classifier_recipe("income-mlp"), n_epochs=50, patience=2, learning_rate=0.1)
    cases = income_cases()
    net = classifier_from_recipe(recipe, cases.legend, 2, torch.Generator().manual_seed(1))
    seen: list[float] = []
    stage = Stage(
        rows_from_part(cases.train),
        rows_from_part(cases.validation),
        progress=lambda progress: seen.append(progress.validation or 0.0),
    )
    best = run_stage(net, recipe, stage)
    assert (best.best_score, best.epoch) == (max(seen), 1 + int(np.argmax(seen)))
    assert len(seen) == best.epoch + 2


@pytest.mark.parametrize("name", ["income-prototypes", "reviews-prototypes"])
def test_prototypes_that_start_at_clusters_learn_before_they_are_kept(name: str) -> None:
    # A rate that spoils the net: every pass is worse than the clusters of the first stage.
    recipe = replace(classifier_recipe(name), n_epochs=2, learning_rate=0.5)
    told = trained_classifier(recipe, cases_for(recipe)).provenance
    assert told["best_epoch"] > 0
    assert len(told["loss_by_epoch"]) == 2


def test_a_loss_that_is_not_finite_is_said() -> None:
    recipe = replace(classifier_recipe("income-mlp"), n_epochs=9, method="sgd", learning_rate=1e9)
    with pytest.raises(MaterialsError, match="The loss of income-mlp is not finite"):
        trained_classifier(recipe, income_cases())


def test_known_word_vectors_are_where_learning_starts() -> None:
    cases = review_cases()
    recipe = replace(classifier_recipe("reviews-lstm"), n_embedding=8)
    net = classifier_from_recipe(recipe, cases.legend, 2, torch.Generator().manual_seed(1))
    known = np.abs(cases.legend.vectors).sum(axis=1) > 0  # type: ignore[union-attr, arg-type]
    body: Any = net.body
    started = body.words.weight.detach().numpy()
    np.testing.assert_allclose(started[known], cases.legend.vectors[known], atol=1e-6)  # type: ignore[union-attr, index]


def test_cluster_centres_are_found() -> None:
    rng = np.random.default_rng(1)
    points = np.concatenate([rng.normal(place, 0.05, size=(40, 2)) for place in (0.0, 3.0, 6.0)])
    np.testing.assert_allclose(np.sort(centres_of(points, 3, rng)[:, 0]), [0, 3, 6], atol=0.1)


def test_the_command_trains_on_files_and_names_the_split(tmp_path: Path) -> None:
    write_adult(tmp_path / "data" / "adult")
    told = understudy(
        "train", "hase2020/adult-prototypes", "--out", tmp_path, "--data", tmp_path / "data", "--epochs", 3, "--split",
        "paper",
    )  # fmt: skip
    assert (told.code, "Right on: train" in told.out) == (0, True)
    card = classifier_from_file(tmp_path / "adult-prototypes-paper.onnx").card
    assert (card.provenance["split"], len(card.prototypes)) == ("paper", 40)


def test_the_command_trains_text_without_word_vectors(tmp_path: Path) -> None:
    write_polarity(tmp_path / "data" / "rt-polarity")
    told = understudy("train", "polarity-lstm", "--out", tmp_path, "--data", tmp_path / "data", "--epochs", 1)
    assert told.code == 0
    assert classifier_from_file(tmp_path / "polarity-lstm.onnx").word_vectors is not None


def test_weights_can_be_stored_in_fewer_bits(tmp_path: Path) -> None:
    told = understudy("train", "reviews-lstm", "--out", tmp_path, "--epochs", 1, "--precision", "float16")
    assert told.code == 0
    assert classifier_from_file(tmp_path / "reviews-lstm.onnx").predict(review_cases().test.inputs[:5]).shape == (5, 2)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["income-mlp", "--resume"], "--resume cannot be used with 'income-mlp': classifiers learn in minutes"),
        (["income-mlp", "--split", "paper"], "The cases of 'income-mlp' are generated, so no paper split them."),
        (["sinelines-ae", "--split", "paper"], "--split is for classifiers, and 'sinelines-ae' is not a classifier."),
        (["adult-mlp"], "adult.data is not there."),
        (["adult-cnn"], "There is nothing to train under 'adult-cnn'."),
        (["ross2021/adult-mlp"], "There is nothing to train under 'ross2021/adult-mlp'."),
    ],
)
def test_an_order_that_cannot_be_carried_out_is_refused(words: list[str], said: str, tmp_path: Path) -> None:
    told = understudy("train", *words, "--out", tmp_path, "--data", tmp_path / "empty")
    assert told.code == 2
    assert said in told.err


def test_the_folder_of_data_decides_what_is_read(tmp_path: Path) -> None:
    folder = write_adult(tmp_path / "adult")
    assert cases_of_recipe(classifier_recipe("adult-mlp"), tmp_path, "leak_free") is adult_cases(folder, "leak_free")
