"""Attributions of any library are kept with their cases, and refused where they do not fit."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.explainers.stage import fields
from understudy.datasets import IncomeCases, ReviewLines
from understudy.errors import MaterialsError
from understudy.explainers import RecordedAttributions, record_attributions
from understudy.explainers.recorded_attributions import features_of_columns
from understudy.models import TrainedClassifier
from understudy.roles import Floats, Sample, Variables

MODEL = TrainedClassifier(name="income-mlp")
LABELS = ("below average", "above average")
CASES = IncomeCases().draw(30, np.random.default_rng(1))


def inputs_of(cases: Sample) -> Floats:
    assert cases.inputs is not None
    return cases.inputs


def test_each_case_gets_its_own_largest_weights(tmp_path: Path) -> None:
    weights = np.random.default_rng(2).normal(size=inputs_of(CASES).shape)
    record_attributions(tmp_path / "said.json", CASES, weights, toward="above average", baseline=0.4, n_shown=3)
    explainer = RecordedAttributions(path=str(tmp_path / "said.json"))
    said = fields(explainer.explain(MODEL, inputs_of(CASES)[[7, 3]], None, np.random.default_rng(1)).explanations[0])
    assert said["weights"] == sorted((round(weight, 6) for weight in sorted(weights[7], key=abs)[-3:]), reverse=True)
    assert said["values"] == [CASES.contents[7][str(name)] for name in list(said["features"] or ())]
    assert said["total"] == pytest.approx(0.4 + sum(sorted(weights[7], key=abs)[-3:]), abs=1e-5)


def test_words_are_found_again_whatever_the_padding(tmp_path: Path) -> None:
    lines = ReviewLines().draw(30, np.random.default_rng(1))
    record_attributions(tmp_path / "said.json", lines, np.ones(inputs_of(lines).shape), toward="pos", n_shown=99)
    wider = np.pad(inputs_of(lines)[:1], ((0, 0), (0, 4)), constant_values=-1)
    model = TrainedClassifier(name="reviews-lstm")
    said = (
        RecordedAttributions(path=str(tmp_path / "said.json"))
        .explain(model, wider, None, np.random.default_rng(1))
        .explanations[0]
    )
    assert fields(said)["tokens"] == lines.contents[0]["tokens"]
    assert fields(said)["weights"] == [1.0] * len(lines.contents[0]["tokens"])  # type: ignore[arg-type]


def test_a_case_that_was_not_explained_is_refused(tmp_path: Path) -> None:
    record_attributions(tmp_path / "said.json", CASES, np.ones(inputs_of(CASES).shape), toward="above average")
    explainer = RecordedAttributions(path=str(tmp_path / "said.json"))
    with pytest.raises(MaterialsError, match="but not 1 of the 1 that the study shows"):
        explainer.explain(MODEL, np.zeros((1, 8)) + 9, None, np.random.default_rng(1))


def spoiled() -> Floats:
    weights = np.ones((30, 8))
    weights[4, 2] = np.nan
    return weights


@pytest.mark.parametrize(
    ("weights", "more", "words"),
    [
        (np.ones((30, 3)), {}, "Case 1 has 3 weights, but there are 8 features"),
        (np.ones((29, 8)), {}, "There are weights of 29 cases, but 30 cases"),
        (spoiled(), {}, "The weights of case 5 are not all finite: 1 of 8"),
        (np.ones((30, 8, 2)), {}, "so they are given for 2 labels. Say `labels`"),
        (np.ones((30, 8)), {"labels": LABELS}, "which has no axis for the `labels` given"),
        (np.ones((30, 8, 2)), {"labels": ("no", "yes")}, "`toward` is 'above average', which is not among the labels"),
        (np.ones((30, 2)), {"columns": ["Age", "Shoe size"]}, "'Shoe size' belongs to no feature, or to several"),
        (np.ones((30, 3)), {"columns": ["Age"]}, "Case 1 has 3 weights, but there are 1 columns named"),
        ([["high"] * 8] * 30, {}, "The weights of case 1 cannot be read as numbers: could not convert"),
        (
            np.ones((30, 8, 3)),
            {"labels": LABELS},
            "case 1 are given for 3 labels, but `labels` has 2. Name every label",
        ),
        (np.ones((30, 8, 2)), {"labels": ["above average"] * 2}, "Name each label once"),
        (
            np.ones((30, 8, 2)),
            {"labels": LABELS, "baseline": 0.4},
            "but the weights are of 2 labels. Give one number for each",
        ),
        (np.ones((30, 8, 2)), {"labels": LABELS, "toward": [*LABELS] * 15}, "so `toward` is one label at most"),
        (
            np.ones((30, 8, 3)),
            {"labels": ["a", "b", "above average"], "even": 0.5},
            "`even` is where a model with two labels",
        ),
        (np.ones((30, 8)), {"toward": ""}, "Nothing says which label positive weights speak for"),
        (np.ones((30, 8)), {"toward": ["above average"] * 29}, "`toward` has 29 labels for 30 cases"),
        (
            np.ones((30, 8)),
            {"baseline": [0.4, 0.6]},
            "`baseline` has several numbers, but the weights are of one label",
        ),
    ],
    ids=[
        "width",
        "cases",
        "nan",
        "labels not said",
        "no labels",
        "other label",
        "feature",
        "columns",
        "words",
        "too many labels",
        "twice",
        "one baseline",
        "two towards",
        "even of three",
        "no toward",
        "fewer towards",
        "baselines",
    ],
)
def test_weights_that_do_not_fit_get_one_sentence(
    weights: Any, more: dict[str, Any], words: str, tmp_path: Path
) -> None:
    with pytest.raises(MaterialsError, match=words):
        record_attributions(tmp_path / "said.json", CASES, weights, **{"toward": "above average", **more})
    assert list(tmp_path.iterdir()) == []


def said_of_first(path: Path) -> dict[str, Any]:
    explainer = RecordedAttributions(path=str(path))
    payload = fields(explainer.explain(MODEL, inputs_of(CASES)[:1], None, np.random.default_rng(1)).explanations[0])
    return dict(zip(payload["features"], payload["weights"], strict=True))


def test_columns_made_from_features_are_summed_back(tmp_path: Path) -> None:
    legend = CASES.legend
    assert isinstance(legend, Variables)
    columns = [
        f"{name}_{value}" for name, values in zip(legend.features, legend.values, strict=True) for value in values
    ]
    weights = np.tile(np.arange(len(columns), dtype=np.float64), (30, 1))
    record_attributions(tmp_path / "said.json", CASES, weights, toward="above average", columns=columns, n_shown=8)
    sizes = [len(values) for values in legend.values]
    sums = [part.sum() for part in np.split(weights[0], np.cumsum(sizes)[:-1])]
    assert said_of_first(tmp_path / "said.json") == dict(zip(legend.features, sums, strict=True))


def test_columns_of_a_transformer_find_their_features_in_any_order() -> None:
    legend = Variables(("a", "a_b"), (("b_c", "d"), ("c", "e")))
    columns = ["n__a_b", "c__a_b_e", "c__a_d", "a", "c__a_infrequent_sklearn"]
    assert features_of_columns(columns, legend) == [1, 1, 0, 0, 0]


def test_a_column_that_two_features_could_have_made_is_refused() -> None:
    with pytest.raises(MaterialsError, match="'a_b_c' belongs to no feature, or to several"):
        features_of_columns(["a_b_c"], Variables(("a", "a_b"), (("b_c",), ("c",))))


def test_of_several_labels_the_one_that_is_asked_for_is_taken(tmp_path: Path) -> None:
    weights = np.stack([np.full((30, 8), 1.0), np.full((30, 8), 2.0)], axis=2)
    record_attributions(tmp_path / "said.json", CASES, weights, toward="above average", labels=LABELS)
    assert set(said_of_first(tmp_path / "said.json").values()) == {2.0}


def test_every_label_is_kept_and_the_target_chooses(tmp_path: Path) -> None:
    weights = np.stack([np.full((30, 8), 1.0), np.full((30, 8), 2.0)], axis=2)
    record_attributions(tmp_path / "said.json", CASES, weights, labels=LABELS, baseline=[0.25, 0.75])
    explainer = RecordedAttributions(path=str(tmp_path / "said.json"))
    assert explainer.classes_of(inputs_of(CASES)[:2]) == [LABELS, LABELS]
    said = explainer.explain(MODEL, inputs_of(CASES)[:2], np.array([1, 0]), np.random.default_rng(1)).explanations
    one, other = (fields(explanation) for explanation in said)
    assert (one["toward"], one["baseline"], set(one["weights"])) == (LABELS[1], 0.75, {2.0})
    assert (other["toward"], other["baseline"], set(other["weights"])) == (LABELS[0], 0.25, {1.0})
    with pytest.raises(MaterialsError, match="this page does not show the model's answer"):
        explainer.explain(MODEL, inputs_of(CASES)[:1], None, np.random.default_rng(1))


def test_words_have_weights_for_every_label_too(tmp_path: Path) -> None:
    lines = ReviewLines().draw(30, np.random.default_rng(1))
    words = [list(map(str, content["tokens"])) for content in lines.contents]  # type: ignore[arg-type]
    weights = [np.outer(np.arange(1, len(word) + 1), [1.0, 10.0]) for word in words]
    record_attributions(tmp_path / "said.json", lines, weights, labels=("neg", "pos"), n_shown=99)
    model, explainer = TrainedClassifier(name="reviews-lstm"), RecordedAttributions(path=str(tmp_path / "said.json"))
    for target, factor in ((0, 1.0), (1, 10.0)):
        said = explainer.explain(
            model, inputs_of(lines)[:1], np.array([target]), np.random.default_rng(1)
        ).explanations[0]
        assert fields(said)["toward"] == ("neg", "pos")[target]
        assert fields(said)["weights"] == [factor * (place + 1) for place in range(len(words[0]))]


def test_classes_that_are_numbers_are_told_by_their_names(tmp_path: Path) -> None:
    weights = np.stack([np.full((30, 8), 1.0), np.full((30, 8), 2.0)], axis=2)
    record_attributions(tmp_path / "said.json", CASES, weights, toward=np.int64(1), labels=np.array([0, 1]))  # type: ignore[arg-type]
    file = json.loads((tmp_path / "said.json").read_text())
    assert (file["toward"], file["labels"]) == ("1", ["0", "1"])
    assert [(said["toward"], said["weights"][0]) for said in file["explanations"][:2]] == [("0", 1.0), ("1", 2.0)]


def test_sentences_may_have_as_many_weights_as_words(tmp_path: Path) -> None:
    lines = ReviewLines().draw(30, np.random.default_rng(1))
    words = [list(map(str, content["tokens"])) for content in lines.contents]  # type: ignore[arg-type]
    record_attributions(
        tmp_path / "said.json", lines, [np.arange(len(word)) for word in words], toward="pos", n_shown=99
    )
    said = RecordedAttributions(path=str(tmp_path / "said.json"))
    model = TrainedClassifier(name="reviews-lstm")
    payload = fields(said.explain(model, inputs_of(lines)[:1], None, np.random.default_rng(1)).explanations[0])
    assert payload["weights"] == list(map(float, range(len(words[0]))))


def test_a_sentence_with_other_weights_than_words_is_named(tmp_path: Path) -> None:
    lines = ReviewLines().draw(30, np.random.default_rng(1))
    with pytest.raises(MaterialsError, match=r"Sentence 1 has \d+ words, but 2 weights"):
        record_attributions(tmp_path / "said.json", lines, [np.ones(2)] * 30, toward="pos")


def test_a_label_that_the_model_does_not_have_is_refused(tmp_path: Path) -> None:
    record_attributions(tmp_path / "said.json", CASES, np.ones((30, 8)), toward="rich")
    with pytest.raises(MaterialsError, match=r"speaks for 'rich', which is not a label of the model. Its labels are: "):
        said_of_first(tmp_path / "said.json")


def longer(said: dict[str, Any]) -> None:
    said["explanations"][3]["weights"].append(1.0)


def emptied(said: dict[str, Any]) -> None:
    said["explanations"][3]["weights"][0] = None


def spoilt(said: dict[str, Any]) -> None:
    said["explanations"][3]["weights"][0] = float("nan")


def shorter(said: dict[str, Any]) -> None:
    said["explanations"].pop()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (longer, r"explanations\[4\]: there are 5 features, 6 weights"),
        (emptied, r"explanations\[4\].weights\[1\] is None, but must be a number"),
        (spoilt, r"weights\[1\] is nan, but must be a finite number"),
        (shorter, "has 30 cases and 29 explanations"),
        (dict.clear, "is not a recording of attributions"),
    ],
)
def test_a_file_that_was_changed_by_hand_is_refused(
    change: Callable[[dict[str, Any]], None], words: str, tmp_path: Path
) -> None:
    record_attributions(tmp_path / "said.json", CASES, np.ones((30, 8)), toward="above average")
    said = json.loads((tmp_path / "said.json").read_text())
    change(said)
    (tmp_path / "said.json").write_text(json.dumps(said))
    with pytest.raises(MaterialsError, match=words):
        said_of_first(tmp_path / "said.json")


def test_a_file_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "said.json").write_text("[]")
    with pytest.raises(MaterialsError, match="is not a recording of attributions"):
        RecordedAttributions(path=str(tmp_path / "said.json")).explain(
            MODEL, inputs_of(CASES), None, np.random.default_rng(1)
        )
