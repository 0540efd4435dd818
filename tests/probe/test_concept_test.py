"""A concept test, from objects to four result sets on disk."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from understudy.actions.probe import folder_of, run_concept, seeds_to_run
from understudy.datasets import DrawnShapes, LoanCases
from understudy.errors import MaterialsError
from understudy.probe.concept_test import ConceptTest, Encoding, Noise, SeedResults, encoded
from understudy.probe.concepts import ConceptFrom, LabelHint, Rotation
from understudy.probe.result_files import ConceptOrder, is_stored
from understudy.probe.trainers import Perceptron
from understudy.roles import Dataset, Ints, Objects, Shown, TrainedModel
from understudy.schema import Ref

QUICK = Perceptron(n_epochs=3, n_hidden=16)


def shown(n: int = 4) -> Shown:
    rng = np.random.default_rng(1)
    return Shown(*(rng.random((n, 5, 5), dtype=np.float32) for _ in range(2)))


def accuracy(results: SeedResults, name: str) -> float:
    said = [results.label_names[k] for k in results.answers[name].labels]
    return float(np.mean([one == other for one, other in zip(said, results.truth, strict=True)]))


@pytest.mark.parametrize(("place", "rows"), [("upper right", slice(0, 5)), ("lower right", slice(5, 10))])
def test_quadrants_differ_in_the_place_of_the_extra_information_alone(place: str, rows: slice) -> None:
    given = shown()
    inputs = encoded(given, "quadrants", corner=place, rng=np.random.default_rng(2))
    np.testing.assert_array_equal(inputs.with_extra[:, rows, 5:], given.extra)
    np.testing.assert_array_equal(inputs.with_noise[:, :5, :5], given.objects)
    changed = inputs.with_noise != inputs.with_extra
    changed[:, rows, 5:] = False
    assert not changed.any()


@pytest.mark.parametrize(
    ("noise", "lies_there"),
    [
        ("uniform", lambda values, _: values.min() >= 0 and values.max() < 1),
        ("normal", lambda values, _: abs(values.mean() - 0.5) < 0.1 and values.min() < 0),
        ("empty", lambda values, _: not values.any()),
        ("shuffled", lambda values, extra: {*values.ravel().tolist()} <= {*extra.ravel().tolist()}),
    ],
)
@pytest.mark.parametrize("encoding", ["quadrants", "side_channel"])
def test_noise_of_every_kind_lies_where_there_is_no_information(
    encoding: Encoding, noise: Noise, lies_there: Callable[[Objects, Objects], bool]
) -> None:
    given = shown(40)
    inputs = encoded(given, encoding, corner="upper right", rng=np.random.default_rng(2), noise=noise)
    found = inputs.with_noise[:, :5, 5:] if encoding == "quadrants" else inputs.with_noise[:, 1]
    assert lies_there(found, given.extra)


def test_side_channels_of_pictures_are_channels_and_of_rows_are_columns() -> None:
    rng = np.random.default_rng(2)
    pictures = encoded(shown(), "side_channel", corner="upper right", rng=rng)
    rows = Shown(np.zeros((4, 3), dtype=np.float32), np.ones((4, 2), dtype=np.float32))
    assert pictures.with_extra.shape == (4, 2, 5, 5)
    assert encoded(rows, "side_channel", corner="upper right", rng=rng).with_extra.shape == (4, 5)


def test_rows_do_not_fit_into_quadrants() -> None:
    rows = Shown(np.zeros((4, 3), dtype=np.float32), np.ones((4, 2), dtype=np.float32))
    with pytest.raises(MaterialsError, match="Use the side_channel encoding"):
        encoded(rows, "quadrants", corner="upper right", rng=np.random.default_rng(2))


def test_a_label_in_the_corner_helps_the_model_that_learnt_to_read_it() -> None:
    results = ConceptTest(DrawnShapes(), LabelHint(), Perceptron(), n_train=800, n_test=300).results(1)
    assert accuracy(results, "PP") > accuracy(results, "MD") + 0.1
    assert accuracy(results, "PD") < accuracy(results, "MD")


def test_runs_are_repeatable_and_seeds_differ_over_the_same_objects() -> None:
    test = ConceptTest(DrawnShapes(), Rotation(), QUICK, n_train=200, n_test=50)
    one, same, other = (test.results(seed) for seed in (1, 1, 2))
    assert one.truth == same.truth == other.truth
    assert (one.answers["PP"].confidences == same.answers["PP"].confidences).all()
    assert (one.answers["PP"].confidences != other.answers["PP"].confidences).any()


def test_both_models_start_alike() -> None:
    starts: list[int] = []

    class Watcher:
        def train(self, inputs: Objects, labels: Ints, seed: int) -> TrainedModel:
            starts.append(seed)
            return QUICK.train(inputs, labels, seed)

    ConceptTest(DrawnShapes(), Rotation(), Watcher(), n_train=100, n_test=20).results(1)
    assert len(starts) == 2
    assert starts[0] == starts[1]


def test_records_take_their_extra_information_beside_them() -> None:
    income = ConceptFrom(lambda one: np.sign(one[:1]))
    test = ConceptTest(LoanCases(), income, QUICK, encoding="side_channel", n_train=200, n_test=50)
    assert set(test.results(1).answers) == {"PP", "PD", "MP", "MD"}


@pytest.mark.parametrize(
    ("dataset", "n_train", "words"),
    [
        (DrawnShapes(), 3, "lack a class"),
    ],
)
def test_too_few_objects_to_learn_from_are_refused(dataset: Dataset, n_train: int, words: str) -> None:
    with pytest.raises(MaterialsError, match=words):
        ConceptTest(dataset, Rotation(), QUICK, n_train=n_train, n_test=200).results(1)


def test_extra_information_of_another_shape_for_test_objects_is_refused() -> None:
    given = iter(range(1, 10_000))
    grows = ConceptFrom(lambda _: np.zeros(1 if next(given) <= 60 else 2, dtype=np.float32))
    with pytest.raises(MaterialsError, match=r"shown as \(\d+,\) and objects to test with as \(\d+,\) numbers"):
        ConceptTest(LoanCases(), grows, QUICK, encoding="side_channel", n_train=60, n_test=20).results(1)


def order(**changes: object) -> ConceptOrder:
    trainer = Ref(name="perceptron", params={"n_epochs": 1, "n_hidden": 8})
    fields = {"concept": Ref(name="rotation"), "trainer": trainer, "n_train": 100, "n_test": 20}
    return ConceptOrder.model_validate(fields | changes)


def test_results_are_kept_by_seed_and_not_made_twice(tmp_path: Path) -> None:
    said: list[str] = []
    run_concept(order(), (0,), tmp_path / "runs", on_model=said.append)
    run_concept(order(), (0, 1), tmp_path / "runs", on_model=said.append)
    assert said == ["M", "P", "M", "P"]
    assert is_stored(tmp_path / "runs", 1)
    assert seeds_to_run(order(), (0, 1, 2), tmp_path / "runs") == (2,)


def test_results_that_lack_a_table_are_made_again(tmp_path: Path) -> None:
    folder = run_concept(order(), (0,), tmp_path / "runs")
    (folder / "seed-0" / "M.D.parquet").unlink()
    assert not is_stored(folder, 0)
    run_concept(order(), (0,), folder)
    assert is_stored(folder, 0)


def test_four_tables_hold_the_same_objects(tmp_path: Path) -> None:
    folder = run_concept(order(keeps_confidence=True), (0,), tmp_path / "runs")
    tables = [pd.read_parquet(path) for path in sorted((folder / "seed-0").glob("*.parquet"))]
    assert len(tables) == 4
    assert all(list(table.columns) == ["id", "truth", "label", "confidence"] for table in tables)
    assert all(table[["id", "truth"]].equals(tables[0][["id", "truth"]]) for table in tables)


def test_results_of_another_test_are_not_taken_for_ones_own(tmp_path: Path) -> None:
    run_concept(order(), (0,), tmp_path / "runs")
    with pytest.raises(MaterialsError, match="contains results of another concept test"):
        run_concept(order(n_test=30), (0,), tmp_path / "runs")


@pytest.mark.parametrize("said", ["{", "[]", "{}"])
def test_a_spoiled_note_of_what_was_asked_gets_a_sentence(said: str, tmp_path: Path) -> None:
    folder = run_concept(order(), (0,), tmp_path / "runs")
    (folder / "concept-test.json").write_text(said, encoding="utf-8")
    with pytest.raises(MaterialsError, match=r"concept-test\.json does not say which concept test"):
        run_concept(order(), (0,), folder)


def test_a_folder_of_other_things_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "diary.txt").write_text("dear", encoding="utf-8")
    with pytest.raises(MaterialsError, match="is not empty"):
        run_concept(order(), (0,), tmp_path)


def test_what_is_asked_decides_where_results_are_kept() -> None:
    assert folder_of(order()) == folder_of(order())
    assert folder_of(order()) != folder_of(order(n_test=30))
