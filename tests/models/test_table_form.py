"""A table that a model was fitted on comes back from codes with its numbers, gaps and types."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.models.own_parts import FrameReader, write_onnx
from understudy import registry
from understudy.datasets import CodedTable
from understudy.errors import MaterialsError
from understudy.models import export_classifier
from understudy.models.pickled_classifier import form_of
from understudy.roles import Floats, Sample, Variables
from understudy.schema import Ref

FEATURES = ("age", "score", "member", "town", "size")
LABELS = ("no", "yes")


@pytest.fixture
def frame(tmp_path: Path) -> pd.DataFrame:
    rng = np.random.default_rng(1)
    made = pd.DataFrame(
        {
            "age": rng.integers(18, 90, size=200),
            "score": np.where(rng.random(200) < 0.1, np.nan, rng.integers(0, 20, size=200) / 4),
            "member": rng.random(200) < 0.5,
            "town": rng.choice(["Ulm", "Bonn", "Kiel"], size=200),
            "size": pd.Categorical(rng.choice(["small", "large"], size=200)),
            "label": rng.choice(LABELS, size=200),
        }
    )
    made.to_csv(tmp_path / "cases.csv", index=False)
    return made


@pytest.fixture
def cases(frame: pd.DataFrame, tmp_path: Path) -> Sample:
    assert len(frame) == 200
    return CodedTable(
        path=str(tmp_path / "cases.csv"), features=FEATURES, label="label", numbers=("age", "score")
    ).whole()


def legend_of(cases: Sample) -> Variables:
    assert isinstance(cases.legend, Variables)
    return cases.legend


def codes_of(cases: Sample) -> Floats:
    assert cases.inputs is not None
    return cases.inputs


def test_codes_become_the_very_table(frame: pd.DataFrame, cases: Sample) -> None:
    shown = frame[["town", "age", "size", "member", "score"]]
    pd.testing.assert_frame_equal(form_of(shown, legend_of(cases)).rows(codes_of(cases)), shown)


def test_the_table_becomes_the_very_codes(frame: pd.DataFrame, cases: Sample) -> None:
    form = form_of(frame[[*FEATURES]], legend_of(cases))
    np.testing.assert_array_equal(form.codes(frame[[*FEATURES]]), codes_of(cases))


def test_a_model_of_the_table_is_asked_with_its_own_columns(frame: pd.DataFrame, cases: Sample, tmp_path: Path) -> None:
    ref = export_classifier(
        FrameReader(), tmp_path / "mine", example=frame[[*FEATURES]], legend=cases.legend, labels=LABELS
    )
    answered = registry.create("models", ref).predict(codes_of(cases))
    np.testing.assert_allclose(answered, FrameReader().predict_proba(frame))


def test_a_net_gets_numbers_as_they_are_and_words_as_codes(frame: pd.DataFrame, cases: Sample) -> None:
    numbers = form_of(frame[[*FEATURES]], legend_of(cases)).numbers()
    assert numbers[0] == tuple(float(one) for one in sorted(frame["age"].unique()))
    assert numbers[3:] == ((0.0, 1.0, 2.0), (0.0, 1.0))


def test_a_torch_module_of_numbers_is_asked_with_numbers(frame: pd.DataFrame, tmp_path: Path) -> None:
    torch = pytest.importorskip("torch", reason="needs the extra torch")
    pytest.importorskip("onnx", reason="needs the extra torch")
    torch.manual_seed(1)
    shown = frame[["age"]]
    ages = CodedTable(path=str(tmp_path / "cases.csv"), features=("age",), label="label", numbers=("age",)).whole()
    module = torch.nn.Linear(1, 2)
    ref = export_classifier(
        module, tmp_path / "net", example=shown, legend=ages.legend, labels=LABELS, outputs="logits"
    )
    wanted = module(torch.tensor(shown.to_numpy(), dtype=torch.float32)).softmax(1).detach().numpy()
    np.testing.assert_allclose(registry.create("models", ref).predict(codes_of(ages)), wanted, atol=1e-5)


def without_town(frame: pd.DataFrame) -> pd.DataFrame:
    return frame[["age", "score", "member", "size"]].assign(city="Ulm")


def numbered_towns(frame: pd.DataFrame) -> pd.DataFrame:
    return frame[[*FEATURES]].assign(town=1)


def another_town(frame: pd.DataFrame) -> pd.DataFrame:
    return frame[[*FEATURES]].assign(town="Jena")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (without_town, "only one of them has 'city', 'town'. Give the same columns to both"),
        (numbered_towns, "Column 'town' of the example holds int64, but in the dataset its values are 'Bonn', 'Kiel'"),
        (another_town, "The example holds 'Jena' in column 'town', which the dataset does not have"),
    ],
)
def test_a_table_of_other_things_gets_one_sentence(
    change: Any, words: str, frame: pd.DataFrame, cases: Sample, tmp_path: Path
) -> None:
    with pytest.raises(MaterialsError, match=words):
        export_classifier(FrameReader(), tmp_path / "mine", example=change(frame), legend=cases.legend, labels=LABELS)


def test_a_table_without_a_legend_is_refused(frame: pd.DataFrame, tmp_path: Path) -> None:
    with pytest.raises(MaterialsError, match="needs the legend of a dataset with features"):
        export_classifier(FrameReader(), tmp_path / "mine", example=frame, labels=LABELS)


def test_a_net_of_columns_in_another_order_is_refused(frame: pd.DataFrame, cases: Sample) -> None:
    form = form_of(frame[[*reversed(FEATURES)]], legend_of(cases))
    with pytest.raises(MaterialsError, match="A net does not know their names: give both in the same order"):
        form.numbers()


def test_codes_beyond_what_a_net_knows_are_refused(tmp_path: Path) -> None:
    params = {"path": str(tmp_path / "net.onnx"), "labels": [*LABELS], "numbers": [[1.0, 2.0]]}
    write_onnx(tmp_path / "net.onnx", n_inputs=1)
    made = registry.create("models", Ref(name="onnx_classifier", params=params))
    with pytest.raises(MaterialsError, match="to have 2 values of variable 1, but its inputs hold code 2"):
        made.predict(np.array([[0.0], [2.0]]))
