"""The entries that read the released stimuli fit together: dataset, recorded answers, explanations."""

import json
from pathlib import Path

import numpy as np
import pytest

from tests.explainers.stage import fields
from tests.hase_sheets import write_sheets
from understudy.errors import MaterialsError
from understudy.registry import create
from understudy.roles import Dataset, Explainer, Model
from understudy.schema import Ref

RNG = 1


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(write_sheets(tmp_path_factory.mktemp("sheets")))


def dataset(folder: str, part: str) -> Dataset:
    made: Dataset = create(
        "datasets", Ref(name="hase_stimuli", params={"domain": "text", "part": part, "folder": folder})
    )
    return made


def model(folder: str) -> Model:
    made: Model = create("models", Ref(name="imported_answers", params={"domain": "text", "folder": folder}))
    return made


def explainer(folder: str, method: str = "LIME") -> Explainer:
    params = {"domain": "text", "method": method, "folder": folder}
    made: Explainer = create("explainers", Ref(name="imported_explanations", params=params))
    return made


@pytest.mark.parametrize("part", ["learning", "forward", "counterfactual"])
def test_the_recorded_answers_belong_to_their_items(folder: str, part: str) -> None:
    sample = dataset(folder, part).draw(99, np.random.default_rng(RNG))
    assert sample.inputs is not None
    answers = [model(folder).labels[k] for k in np.argmax(model(folder).predict(sample.inputs), axis=1)]
    assert answers == list(sample.attributes["prediction"])


def test_an_edited_item_tells_whether_the_prediction_stays(folder: str) -> None:
    known = dataset(folder, "counterfactual").draw(99, np.random.default_rng(RNG)).attributes
    pairs = zip(known["prediction"], known["edited_prediction"], strict=True)
    assert list(known["keeps"]) == ["same" if old == new else "changed" for old, new in pairs]


def test_an_explanation_is_about_its_item(folder: str) -> None:
    sample = dataset(folder, "learning").draw(5, np.random.default_rng(RNG))
    assert sample.inputs is not None
    said = explainer(folder).explain(model(folder), sample.inputs, None, np.random.default_rng(RNG)).explanations
    assert [fields(one)["tokens"] for one in said] == [content["tokens"] for content in sample.contents]
    assert all(json.loads(json.dumps(fields(one))) == fields(one) for one in said)


def test_forward_items_have_no_explanation(folder: str) -> None:
    sample = dataset(folder, "forward").draw(1, np.random.default_rng(RNG))
    assert sample.inputs is not None
    with pytest.raises(MaterialsError, match="none for forward ones"):
        explainer(folder).explain(model(folder), sample.inputs, None, np.random.default_rng(RNG))


def test_other_inputs_have_no_recorded_answer(folder: str) -> None:
    with pytest.raises(MaterialsError, match="Imported answers exist only for the items of hase_stimuli"):
        model(folder).predict(np.array([[0.5]]))


def test_validity_sheets_cannot_be_drawn_from(folder: str) -> None:
    rows = "domain,condition_file,slot,id,context,label,model,method,explanation\n"
    Path(folder, "validity.csv").write_text(f"{rows}tabular,LIME,0,50,,,,LIME,other\n", encoding="utf-8")
    with pytest.raises(MaterialsError, match=r"1 validity sheets are misaligned.*0 of 1 in LIME"):
        dataset(folder, "validity").draw(3, np.random.default_rng(RNG))
