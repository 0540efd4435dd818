"""Counterfactuals: pairs of a case and its edited version, balanced and honest about the model."""

import os
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.case_files import write_polarity
from tests.playing import stage, study_of
from tests.shell import understudy
from understudy import registry
from understudy.errors import MaterialsError
from understudy.inference.model_folders import SHELF
from understudy.prepare import prepare
from understudy.prepare.assets import with_paths
from understudy.roles import Floats, Sample
from understudy.schema import Json, Ref
from understudy.sources.cases import content_from_row

PAIRS = {"income_cases": ("income-mlp", "income-prototypes"), "review_lines": ("reviews-lstm", "reviews-prototypes")}
both = pytest.mark.parametrize("source", PAIRS)


def named(name: str, entry: str = "trained_classifier") -> dict[str, Any]:
    return {"name": entry, "params": {"name": name}}


def drawn(source: str = "income_cases", n: int = 60, **settings: Any) -> Sample:
    model = named(PAIRS.get(source, ("income-mlp",))[0])
    return drawn_from({"source": source, "model": model, **settings}, n)


def drawn_from(params: dict[str, Any], n: int) -> Sample:
    made = registry.create("datasets", Ref(name="counterfactuals", params=params))
    sample: Sample = made.draw(n, np.random.default_rng(1))
    return sample


def predictions(name: str, inputs: Floats) -> list[str]:
    model = registry.create("models", Ref(name="trained_classifier", params={"name": name}))
    return [model.labels[one] for one in model.predict(inputs).argmax(axis=1)]


def edited_inputs(sample: Sample) -> Floats:
    """Read the edited versions back from what is shown of them."""
    inputs, legend = sample.inputs, sample.legend
    assert inputs is not None
    assert legend is not None
    rows = inputs.copy()
    for place, content in enumerate(sample.contents):
        shown: Any = content["edited"]
        if "tokens" in shown:
            words = legend.words  # type: ignore[union-attr]
            rows[place, : len(shown["tokens"])] = [words.index(token) for token in shown["tokens"]]
        else:
            pairs = zip(legend.features, legend.values, strict=True)  # type: ignore[union-attr]
            rows[place] = [values.index(shown[feature]) for feature, values in pairs]
    return rows


@both
def test_what_is_said_of_the_edited_version_is_what_the_model_says(source: str) -> None:
    sample = drawn(source)
    assert sample.inputs is not None
    before, after = (predictions(PAIRS[source][0], one) for one in (sample.inputs, edited_inputs(sample)))
    assert list(sample.attributes["edited_prediction"]) == after
    kept = ["same" if one == other else "changed" for one, other in zip(before, after, strict=True)]
    assert list(sample.attributes["keeps"]) == kept


@both
def test_half_keep_the_prediction_and_both_halves_have_the_same_numbers_of_edits(source: str) -> None:
    sample = drawn(source)
    counted = Counter(zip(sample.attributes["keeps"], sample.attributes["n_edits"], strict=True))
    assert counted == {(keeps, n): 10 for keeps in ("same", "changed") for n in (1, 2, 3)}


@both
def test_the_number_of_edits_is_the_number_of_differences(source: str) -> None:
    sample = drawn(source)
    assert sample.inputs is not None
    differences = (edited_inputs(sample) != sample.inputs).sum(axis=1)
    assert list(sample.attributes["n_edits"]) == differences.tolist()


@both
def test_the_original_is_what_the_inputs_say(source: str) -> None:
    sample = drawn(source, n=10)
    assert sample.inputs is not None
    assert sample.legend is not None
    shown: list[Json] = [content_from_row(row, sample.legend) for row in sample.inputs]
    assert [content["original"] for content in sample.contents] == shown


@both
def test_a_second_model_agrees_on_both_versions(source: str) -> None:
    sample = drawn(source, also_model=named(PAIRS[source][1]))
    for inputs in (sample.inputs, edited_inputs(sample)):
        assert inputs is not None
        assert predictions(PAIRS[source][0], inputs) == predictions(PAIRS[source][1], inputs)


@both
def test_in_the_published_way_more_edits_betray_a_change(source: str) -> None:
    sample = drawn(source, n=200, edit_counts="paper")
    keeps, n_edits = np.array(sample.attributes["keeps"]), np.array(sample.attributes["n_edits"])
    assert n_edits[keeps == "changed"].mean() > n_edits[keeps == "same"].mean() + 0.1
    assert Counter(keeps.tolist()) == {"same": 100, "changed": 100}


def test_places_do_not_betray_the_answer() -> None:
    keeps = list(drawn(n=40).attributes["keeps"])
    assert keeps[::2] != ["same"] * 20


def test_edits_below_the_wanted_plausibility_are_not_used() -> None:
    sample = drawn("review_lines", n=30, min_plausibility=0.9)
    assert min(float(one) for one in sample.attributes["plausibility"]) >= 0.9
    assert min(float(one) for one in drawn("review_lines", n=60).attributes["plausibility"]) < 0.9


def test_cases_that_cannot_be_turned_are_left_out_and_counted() -> None:
    sample = drawn(n=2000, n_tries=2)
    assert 100 < len(sample.contents) < 800
    assert sample.attributes["share_usable"][0] == pytest.approx(len(sample.contents) / 800, abs=1e-3)


def test_no_strategy_without_understanding_scores_above_chance() -> None:
    sample = drawn(n=120)
    assert sample.inputs is not None
    before = predictions("income-mlp", sample.inputs)
    copied = [one == other for one, other in zip(before, sample.attributes["edited_prediction"], strict=True)]
    assert np.mean(copied) == 0.5


def test_a_model_beside_the_study_is_found_inside_a_dataset(tmp_path: Path) -> None:
    for ending in ("onnx", "json"):
        (tmp_path / f"mine.{ending}").write_bytes((SHELF / f"income-mlp.{ending}").read_bytes())
    model = {"name": "trained_classifier", "params": {"path": "mine.onnx"}}
    ref = Ref(name="counterfactuals", params={"source": "income_cases", "model": model})
    found = with_paths("datasets", ref, tmp_path)
    sample: Sample = registry.create("datasets", found).draw(4, np.random.default_rng(1))
    assert len(sample.contents) == 4


@both
def test_prepared_pairs_fill_every_cell_of_label_prediction_and_keeping(source: str) -> None:
    model = named(PAIRS[source][0])
    dataset = {"name": "counterfactuals", "params": {"source": source, "model": model}}
    strata = ["label", "prediction", "keeps"]
    item_set = {"name": "edited", "n_items": 32, "dataset": dataset, "strata": strata}
    labels = list(registry.create("models", Ref.model_validate(model)).labels)
    question = {"kind": "choice", "question_id": "guess", "prompt": "What will the model say?", "options": labels}
    task = {"name": "judge", "params": {"questions": [question], "keys": {"guess": "edited_prediction"}}}
    study = study_of(stage("one", "edited") | {"task": task}, item_sets=[item_set], bindings=[{"model": model}])
    cells = Counter(tuple(value[name] for name in strata) for value in prepare(study, Path()).key.strata.values())
    assert (len(cells), set(cells.values())) == (8, {4})


def test_cases_that_are_neither_codes_nor_words_are_refused() -> None:
    with pytest.raises(MaterialsError, match="Dataset 'loan_cases' cannot be edited"):
        drawn("loan_cases")


def test_without_word_vectors_those_of_the_model_are_taken(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="needs the extra torch")
    data, models = tmp_path / "data", tmp_path / "models"
    write_polarity(data / "rt-polarity")
    assert understudy("train", "polarity-lstm", "--out", models, "--data", data, "--epochs", 2).code == 0
    params = {
        "source": {"name": "rt_polarity", "params": {"folder": str(data / "rt-polarity"), "vectors": str(tmp_path)}},
        "model": {"name": "trained_classifier", "params": {"path": str(models / "polarity-lstm.onnx")}},
    }
    sample = drawn_from(params, n=6)
    assert sample.attributes["n_edits"]


def test_words_without_any_vectors_are_refused(tmp_path: Path) -> None:
    write_polarity(tmp_path)
    params = {
        "source": {"name": "rt_polarity", "params": {"folder": str(tmp_path), "vectors": str(tmp_path)}},
        "model": {"name": "linear_classifier", "params": {"weights": [1.0]}},
    }
    with pytest.raises(MaterialsError, match="neither their vocabulary nor the model has a vector for each"):
        drawn_from(params, n=6)


@pytest.mark.skipif(
    not Path(os.environ.get("UNDERSTUDY_DATA", "nowhere"), "adult").is_dir(), reason="needs UNDERSTUDY_DATA with adult"
)
def test_census_records_are_edited_with_a_model_that_comes_along() -> None:
    sample = drawn("adult", n=24, model=named("adult-mlp"))
    assert Counter(sample.attributes["keeps"]) == {"same": 12, "changed": 12}
