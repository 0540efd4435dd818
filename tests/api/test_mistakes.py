"""A mistake in a call of the public interface raises `us.UnderstudyError`, whose text says what to do."""

import pickle
from collections.abc import Callable
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np
import pandas as pd
import pytest

import understudy as us
from tests.small_studies import helped_flow, two_groups

call: Any = us
"""The public interface without types, since the calls below are wrong on purpose."""
MODEL = us.Ref(name="linear_classifier", params={"weights": [1.5, 0.2, 0.9, -0.6], "labels": ["defaulted", "repaid"]})
WEIGHTS = us.Ref(name="weighted_features", params={"features": ["income", "age", "savings", "debt"]})
ARMS = {"shown": WEIGHTS, "hidden": None}
OPTIONS: Any = {"dataset": "loan_cases", "model": MODEL, "answers": ("defaulted", "repaid")}
SHOWN = "explanation=shown"

MISTAKES: dict[str, tuple[Callable[[], object], str]] = {
    "a table without rows": (lambda: us.analyze(pd.DataFrame({"who": []}), "title = 'T'\n"), "The data frame has no rows; a table needs at least one."),
    "negative people": (lambda: us.rehearse("loan-demo", people=-3), "us.rehearse: people is -3, but must be a whole number of at least 1 or None."),
    "no people": (lambda: us.rehearse("loan-demo", people=0), "people is 0, but must be a whole number of at least 1"),
    "half a person": (lambda: call.rehearse("loan-demo", people=2.5), "people is 2.5, but must be a whole number"),
    "a seed in letters": (lambda: call.rehearse("loan-demo", seed="a"), "seed is 'a', but must be a whole number of at least 0."),
    "a negative seed": (lambda: us.rehearse("loan-demo", seed=-1), "seed is -1, but must be a whole number of at least 0."),
    "a misspelt argument": (lambda: call.rehearse("loan-demo", poeple=3), "poeple is not an argument. Did you mean 'people'?"),
    "a missing argument": (lambda: call.load(), "us.load: missing a required argument: 'path_or_name'. It takes: path_or_name."),
    "negative sizes": (lambda: us.power("loan-demo", SHOWN, n=(-1,)), "n[1] is -1, but must be a whole number of at least 1."),
    "no simulations": (lambda: us.power("loan-demo", SHOWN, simulations=0), "simulations is 0, but must be"),
    "a number for a study": (lambda: call.load(3), "path_or_name is 3, but must be the path of a study file or the name of a ready study"),
    "a dict for a study": (lambda: call.check({"name": "x"}), "study is {'name': 'x'}, but must be a study, the path"),
    "broken TOML": (lambda: us.study_from_toml("a = "), "The text is not TOML: Invalid value"),
    "one case without a list": (lambda: us.explain(MODEL, WEIGHTS, [1, 2]), "The inputs have the shape (2,), which is not a list of cases."),
    "cases in letters": (lambda: us.explain(MODEL, WEIGHTS, [["a"]]), "The inputs are not numbers"),
    "an effect that is not one": (lambda: us.rehearse("loan-demo", effects="shown"), "'shown' is not an effect. Write factor=level:shift"),
    "nothing to serve": (lambda: us.serve(), "no run is given. Give the folder of at least one"),
    "a number to serve": (lambda: call.serve(3), "runs is 3, but must be a run, or the folder"),
    "a number to show": (lambda: call.show(3), "explanation is 3, but must be an explanation, or what us.explain returns."),
    "an object that is not a model": (lambda: call.importance("sixt2022", object()), "model is an object, but must be a name of the catalogue"),
    "a dict for a table": (lambda: call.analyze({"a": [1]}, "plan.toml"), "table is {'a': [1]}, but must be a data frame of pandas"),
    "a number for a classifier": (lambda: call.export_classifier(3, "x", example=[[1.0]]), "'int' cannot become a classifier."),
    "a number for a decoder": (lambda: call.export_decoder(3, "x", shape=(2,), codes=[[0.0], [1.0]]), "'int' cannot become a decoder."),
    "a Ref by position": (lambda: call.Ref("linear_classifier"), "A Ref takes its fields by name: Ref(name='linear_classifier')."),
    "a misspelt method": (lambda: us.between("s", {"shown": "weighted_featurs", "hidden": None}, **OPTIONS), "'weighted_featurs' is not among the explainers. Did you mean 'weighted_features'?"),
    "a misspelt option": (lambda: call.between("s", ARMS, **OPTIONS, peple=3), "peple is not an argument. Did you mean 'people'?"),
    "negative people in a design": (lambda: us.between("s", ARMS, **OPTIONS, people=-4), "people is -4, but must be a whole number of at least 1."),
    "a name with spaces": (lambda: us.between("x y!", ARMS, **OPTIONS), "us.between: name is 'x y!', but must be a name: letters"),
    "a gate without questions": (lambda: us.gate({}), "A gate has no question."),
    "a question with one answer": (lambda: us.gate({"Who?": ["I"]}), "The question 'Who?' has 1 answer."),
    "a scale of one item": (lambda: us.scale("trust", "Agree?", ["I trust it."]), "us.scale: items has 1 entry, but needs at least 2."),
    "a misspelt model": (lambda: us.explain("limee", "weighted_features", [[1.0]]), "'limee' is not among the models."),
}  # fmt: skip


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_answered_in_sentences(name: str) -> None:
    mistaken, sentence = MISTAKES[name]
    with pytest.raises(us.UnderstudyError) as caught:
        mistaken()
    assert sentence in str(caught.value)
    assert "pydantic" not in str(caught.value)


@pytest.mark.parametrize("name", [name for name in us.__all__ if isinstance(getattr(us, name), FunctionType)])
def test_every_public_function_refuses_an_argument_that_it_does_not_have(name: str) -> None:
    with pytest.raises(us.UnderstudyError, match=f"us.{name}: no_such_thing is not an argument"):
        getattr(us, name)(no_such_thing=1)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> us.Run:
    return us.prepare(two_groups(flow=helped_flow()), tmp_path_factory.mktemp("run") / "prepared")


@pytest.mark.parametrize("kind", ["sesions", 3])
def test_an_unknown_table_of_a_run_is_refused_with_the_choices(run: us.Run, kind: Any) -> None:
    with pytest.raises(us.UnderstudyError, match=r"kind is .*, but must be 'trials', 'sessions' or 'findings'\."):
        run.table(kind)


def test_a_misspelt_table_gets_a_suggestion(run: Any) -> None:
    with pytest.raises(us.UnderstudyError, match=r"Did you mean 'sessions'\?"):
        run.table("sesions")


def test_a_study_is_not_written_into_a_folder_that_is_missing(tmp_path: Path) -> None:
    with pytest.raises(us.UnderstudyError, match=r"x.toml cannot be read or written: no such file or directory"):
        us.save("loan-demo", tmp_path / "missing" / "x.toml")


def test_names_of_ready_studies_are_taken_wherever_studies_are(tmp_path: Path) -> None:
    assert us.load(us.save("loan-demo", tmp_path / "y.toml")) == us.load("loan-demo")
    assert us.toml_from_study("loan-demo") == us.toml_from_study(us.load("loan-demo"))


def test_power_takes_one_size_and_one_effect() -> None:
    found = us.power(two_groups(), SHOWN, n=4, effects=2, simulations=2, workers=1)
    assert found.table()[["quota", "effect"]].to_numpy().tolist() == [[4, 2]]


def test_numbers_of_numpy_are_numbers() -> None:
    assert len(us.draw_world("sixt2022", np.int64(2), edge=16)) == 2  # type: ignore[arg-type]  # what users of numpy have


def test_one_effect_can_be_text(tmp_path: Path) -> None:
    small = two_groups(flow=helped_flow(), assignment={"quota": 2})
    assert us.rehearse(small, effects="explanation=shown:0.6", out=tmp_path / "run").study == small


def test_a_classifier_is_written_to_a_path_given_as_text(tmp_path: Path) -> None:
    def even(rows: Any) -> Any:
        return np.full((len(rows), 2), 0.5)

    with pytest.raises(us.UnderstudyError, match="cannot be written to a file"):
        us.export_classifier(even, str(tmp_path / "mine"), example=[[1.0]], labels=("a", "b"))


def test_a_misspelt_public_name_gets_a_suggestion() -> None:
    with pytest.raises(AttributeError, match=r"has no attribute 'rehears'. Did you mean 'rehearse'\?"):
        call.rehears  # noqa: B018 - the look-up itself is the mistake


def test_public_functions_can_be_sent_to_other_processes() -> None:
    assert pickle.loads(pickle.dumps(us.explain)) is us.explain


@pytest.mark.parametrize(
    ("name", "fields", "sentence"),
    [
        ("Ref", {}, "Ref: name is missing; add it."),
        ("Ref", {"name": "welch_t", "param": {}}, "Ref: param is not a field that exists here; did you mean params?"),
        ("Study", {}, "Study: name is missing; add it."),
    ],
)
def test_a_record_built_field_by_field_says_what_is_wrong(name: str, fields: dict[str, Any], sentence: str) -> None:
    with pytest.raises(us.UnderstudyError) as raised:
        getattr(us, name)(**fields)
    assert str(raised.value).splitlines()[0] == sentence


def test_a_record_takes_its_fields_by_name() -> None:
    build: Any = us.Hypothesis
    with pytest.raises(us.UnderstudyError, match=r"such as Hypothesis\(hypothesis_id=…\)\."):
        build("H1")


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"n_items": 8}, "us.Scope: missing a required argument: 'n_examples'. It takes: n_items, n_examples, quota,"),
        ({"n_item": 8}, "us.Scope: n_item is not an argument. Did you mean 'n_items'? It takes: n_items, n_examples,"),
        (
            {"n_items": "8", "n_examples": 4, "quota": 10, "minutes": 20, "reward": 3.0},
            "us.Scope: n_items is '8', but must be a whole number",
        ),
    ],
)
def test_the_fields_of_a_named_tuple_are_checked(fields: dict[str, Any], sentence: str) -> None:
    build: Any = us.Scope
    with pytest.raises(us.UnderstudyError) as raised:
        build(**fields)
    assert str(raised.value).startswith(sentence)
