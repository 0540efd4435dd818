"""Your own classifiers: what can be brought in, and a clear sentence for what cannot."""

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.models.own_parts import Forgetful, even_odds, logit_like, one_number, spoiled, write_onnx
from understudy import registry
from understudy.errors import MaterialsError
from understudy.models import export_classifier
from understudy.models.pickled_classifier import PickleWarning
from understudy.roles import Floats, Model, Sample, Variables
from understudy.schema import Ref

LABELS = ("below average", "above average")


def sample(name: str = "income_cases") -> Sample:
    made = registry.create("datasets", Ref(name=name, params={"split": "train"}))
    drawn: Sample = made.draw(300, np.random.default_rng(1))
    return drawn


def inputs(name: str = "income_cases") -> Floats:
    drawn = sample(name).inputs
    assert drawn is not None
    return drawn


def model(ref: Ref) -> Model:
    made: Model = registry.create("models", ref)
    return made


def right(made: Model, name: str = "income_cases") -> float:
    drawn = sample(name)
    predicted = [made.labels[one] for one in made.predict(inputs(name)).argmax(axis=1)]
    return float(np.mean([one == other for one, other in zip(predicted, drawn.attributes["label"], strict=True)]))


def test_a_pipeline_fitted_on_value_names_becomes_a_model(tmp_path: Path) -> None:
    pipeline = pytest.importorskip("sklearn.pipeline", reason="needs the extra sklearn")
    encoding = pytest.importorskip("sklearn.preprocessing")
    linear = pytest.importorskip("sklearn.linear_model")
    drawn, frame = sample(), pytest.importorskip("pandas").DataFrame(sample().contents)
    fitted = pipeline.make_pipeline(encoding.OneHotEncoder(), linear.LogisticRegression())
    fitted.fit(frame, list(drawn.attributes["label"]))
    ref = export_classifier(fitted, tmp_path / "mine", example=inputs(), takes="frame", legend=drawn.legend)
    assert (ref.name, model(ref).labels) == ("pickled_classifier", ("above average", "below average"))
    assert right(model(ref)) > 0.75


def test_labels_in_another_order_than_the_models_own_are_refused(tmp_path: Path) -> None:
    dummy = pytest.importorskip("sklearn.dummy", reason="needs the extra sklearn")
    fitted = dummy.DummyClassifier(strategy="stratified", random_state=1).fit(inputs(), sample().attributes["label"])
    with pytest.raises(MaterialsError, match="outputs come in the order above average, below average"):
        export_classifier(fitted, tmp_path / "mine", example=inputs(), labels=LABELS)


def test_a_pipeline_fitted_on_sentences_becomes_a_model(tmp_path: Path) -> None:
    pipeline = pytest.importorskip("sklearn.pipeline", reason="needs the extra sklearn")
    words = pytest.importorskip("sklearn.feature_extraction.text")
    linear = pytest.importorskip("sklearn.linear_model")
    drawn = sample("review_lines")
    texts = [" ".join(map(str, content["tokens"])) for content in drawn.contents]  # type: ignore[arg-type]
    fitted = pipeline.make_pipeline(words.TfidfVectorizer(), linear.LogisticRegression())
    fitted.fit(texts, list(drawn.attributes["label"]))
    ref = export_classifier(
        fitted, tmp_path / "mine", example=inputs("review_lines"), takes="texts", legend=drawn.legend
    )
    assert right(model(ref), "review_lines") > 0.7


def test_a_torch_module_becomes_a_model(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch", reason="needs the extra torch")
    pytest.importorskip("onnx", reason="needs the extra torch")
    torch.manual_seed(1)
    module = torch.nn.Sequential(torch.nn.Linear(8, 4), torch.nn.ReLU(), torch.nn.Linear(4, 2))
    ref = export_classifier(module, tmp_path / "mine", example=inputs(), labels=LABELS, outputs="logits")
    wanted = module(torch.from_numpy(inputs()).float()).softmax(1).detach().numpy()
    np.testing.assert_allclose(model(ref).predict(inputs()), wanted, atol=1e-5)


def test_an_onnx_file_becomes_a_model_where_it_lies(tmp_path: Path) -> None:
    pytest.importorskip("onnx", reason="needs the extra torch")
    write_onnx(tmp_path / "mine.onnx", n_inputs=8)
    ref = export_classifier(tmp_path / "mine.onnx", tmp_path / "mine.onnx", example=inputs(), labels=LABELS)
    assert model(ref).predict(inputs()).shape == (300, 2)


def test_an_onnx_file_may_take_one_column_for_each_value(tmp_path: Path) -> None:
    pytest.importorskip("onnx", reason="needs the extra torch")
    legend = sample().legend
    assert isinstance(legend, Variables)
    sizes = [len(values) for values in legend.values]
    write_onnx(tmp_path / "mine.onnx", n_inputs=sum(sizes))
    params = {"path": str(tmp_path / "mine.onnx"), "labels": list(LABELS), "one_hot": sizes}
    assert model(Ref(name="onnx_classifier", params=params)).predict(inputs()).shape == (300, 2)


def test_a_function_becomes_a_model(tmp_path: Path) -> None:
    ref = export_classifier(even_odds, tmp_path / "mine", example=inputs(), labels=LABELS)
    np.testing.assert_allclose(model(ref).predict(inputs()), 0.5)


@pytest.mark.parametrize(
    ("brought", "words"),
    [
        (logit_like, "returned values from -4 to 3 whose rows do not sum to one, so they look like logits"),
        (spoiled, "returned values that are not finite for 1 of 300 inputs"),
        (one_number, "returned one number for each input, so it knows one class only"),
        (Forgetful(), "failed on 300 inputs of the shape .*: the past is gone"),
        (lambda rows: even_odds(rows), "'function' cannot be written to a file: .*Leave out lambdas"),
        (3, "'int' cannot become a classifier"),
        ("nowhere.onnx", r"nowhere\.onnx is not a file"),
    ],
    ids=["logits", "nan", "one class", "failing", "unpicklable", "no model", "no file"],
)
def test_what_cannot_be_brought_in_gets_one_clear_sentence(brought: Any, words: str, tmp_path: Path) -> None:
    with pytest.raises(MaterialsError, match=words):
        export_classifier(brought, tmp_path / "mine", example=inputs(), labels=LABELS)
    assert list(tmp_path.iterdir()) == []


def test_a_model_fitted_to_one_class_is_refused(tmp_path: Path) -> None:
    dummy = pytest.importorskip("sklearn.dummy", reason="needs the extra sklearn")
    fitted = dummy.DummyClassifier().fit(inputs(), ["same"] * 300)
    with pytest.raises(MaterialsError, match="'DummyClassifier' knows one class only, 'same'"):
        export_classifier(fitted, tmp_path / "mine", example=inputs())


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"takes": "frame", "labels": LABELS}, "takes frame needs the legend of its dataset"),
        ({}, "does not say what its classes are"),
        ({"labels": ("a", "b", "c")}, r"returned the shape \(300, 2\) for 300 inputs and 3 labels"),
    ],
)
def test_what_is_left_out_is_asked_for(settings: dict[str, Any], words: str, tmp_path: Path) -> None:
    with pytest.raises(MaterialsError, match=words):
        export_classifier(even_odds, tmp_path / "mine", example=inputs(), **settings)


@pytest.mark.parametrize(
    ("content", "words"), [(b"nothing", "cannot be read: .*Write it with understudy"), (None, "is not a file")]
)
def test_a_file_that_is_no_model_is_refused(content: bytes | None, words: str, tmp_path: Path) -> None:
    if content is not None:
        (tmp_path / "mine.joblib").write_bytes(content)
    with pytest.raises(MaterialsError, match=words):
        model(Ref(name="pickled_classifier", params={"path": str(tmp_path / "mine.joblib")})).predict(inputs())


def test_a_bare_model_in_a_file_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("joblib").dump({"weights": 1}, tmp_path / "mine.joblib")
    with pytest.raises(MaterialsError, match="holds 'dict' without its labels"):
        model(Ref(name="pickled_classifier", params={"path": str(tmp_path / "mine.joblib")})).predict(inputs())


def test_an_onnx_file_for_other_inputs_says_so(tmp_path: Path) -> None:
    pytest.importorskip("onnx", reason="needs the extra torch")
    write_onnx(tmp_path / "mine.onnx", n_inputs=5)
    with pytest.raises(MaterialsError, match=r"failed on inputs of the shape \(300, 8\)"):
        export_classifier(tmp_path / "mine.onnx", tmp_path / "other.onnx", example=inputs(), labels=LABELS)


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"output": "scores"}, "has no output 'scores'. It has: shown"),
        ({"one_hot": [2, 2]}, "is declared to have 2 variables, but its inputs have 8"),
    ],
)
def test_an_onnx_file_that_is_set_up_wrongly_says_so(params: dict[str, Any], words: str, tmp_path: Path) -> None:
    pytest.importorskip("onnx", reason="needs the extra torch")
    write_onnx(tmp_path / "mine.onnx", n_inputs=8)
    whole = {"path": str(tmp_path / "mine.onnx"), "labels": list(LABELS), **params}
    with pytest.raises(MaterialsError, match=words):
        model(Ref(name="onnx_classifier", params=whole)).predict(inputs())


def test_a_pickle_is_announced_once_before_it_is_loaded(tmp_path: Path) -> None:
    joblib = pytest.importorskip("joblib")
    for name in ("first", "second"):
        joblib.dump({"weights": 20_261}, tmp_path / f"{name}.joblib")

    def load(name: str) -> None:
        with pytest.raises(MaterialsError, match="without its labels"):
            model(Ref(name="pickled_classifier", params={"path": str(tmp_path / f"{name}.joblib")})).predict(inputs())

    with pytest.warns(PickleWarning, match=r"first.joblib is a pickle, and loading one runs .* onnx_classifier"):
        load("first")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        load("second")


def test_a_pickle_that_this_process_wrote_is_not_announced(tmp_path: Path) -> None:
    ref = export_classifier(even_odds, tmp_path / "mine", example=inputs(), labels=LABELS)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert model(ref).labels == LABELS


def _n_warnings_in_a_worker(path: str) -> int:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        loaded = model(Ref(name="pickled_classifier", params={"path": path}))
        assert loaded.labels == LABELS
    return len(caught)


def test_worker_processes_do_not_repeat_that_a_file_is_a_pickle(tmp_path: Path) -> None:
    joblib = pytest.importorskip("joblib")
    path = str(export_classifier(even_odds, tmp_path / "mine", example=inputs(), labels=LABELS).params["path"])
    run = joblib.Parallel(n_jobs=2)
    assert run(joblib.delayed(_n_warnings_in_a_worker)(path) for _ in range(2)) == [0, 0]
