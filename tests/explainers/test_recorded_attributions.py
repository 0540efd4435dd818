"""Attributions of any library are kept with their cases, and refused where they do not fit."""

from pathlib import Path

import numpy as np
import pytest

from understudy.datasets import IncomeCases, ReviewLines
from understudy.errors import MaterialsError
from understudy.explainers import RecordedAttributions, record_attributions
from understudy.models import TrainedClassifier
from understudy.roles import Sample

MODEL = TrainedClassifier(name="income-mlp")
CASES = IncomeCases().draw(30, np.random.default_rng(1))


def inputs_of(cases: Sample) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    assert cases.inputs is not None
    return cases.inputs


def test_each_case_gets_its_own_largest_weights(tmp_path: Path) -> None:
    weights = np.random.default_rng(2).normal(size=inputs_of(CASES).shape)
    record_attributions(tmp_path / "said.json", CASES, weights, toward="above average", baseline=0.4, n_shown=3)
    explainer = RecordedAttributions(path=str(tmp_path / "said.json"))
    said = explainer.explain(MODEL, inputs_of(CASES)[[7, 3]], np.random.default_rng(1))[0].payload
    assert said["weights"] == sorted((round(one, 6) for one in sorted(weights[7], key=abs)[-3:]), reverse=True)
    assert said["values"] == [CASES.contents[7][str(name)] for name in list(said["features"] or ())]  # type: ignore[arg-type]
    assert said["total"] == pytest.approx(0.4 + sum(sorted(weights[7], key=abs)[-3:]), abs=1e-5)


def test_words_are_found_again_whatever_the_padding(tmp_path: Path) -> None:
    lines = ReviewLines().draw(30, np.random.default_rng(1))
    record_attributions(tmp_path / "said.json", lines, np.ones(inputs_of(lines).shape), toward="pos", n_shown=99)
    wider = np.pad(inputs_of(lines)[:1], ((0, 0), (0, 4)), constant_values=-1)
    said = RecordedAttributions(path=str(tmp_path / "said.json")).explain(MODEL, wider, np.random.default_rng(1))[0]
    assert said.payload["tokens"] == lines.contents[0]["tokens"]
    assert said.payload["weights"] == [1.0] * len(lines.contents[0]["tokens"])  # type: ignore[arg-type]


def test_a_case_that_was_not_explained_is_refused(tmp_path: Path) -> None:
    record_attributions(tmp_path / "said.json", CASES, np.ones(inputs_of(CASES).shape), toward="above average")
    explainer = RecordedAttributions(path=str(tmp_path / "said.json"))
    with pytest.raises(MaterialsError, match="but not 1 of the 1 that the study shows"):
        explainer.explain(MODEL, np.zeros((1, 8)) + 9, np.random.default_rng(1))


@pytest.mark.parametrize("weights", [np.ones((30, 3)), np.full((30, 8), np.nan)])
def test_weights_that_do_not_fit_are_refused(
    weights: np.ndarray[tuple[int, ...], np.dtype[np.float64]], tmp_path: Path
) -> None:
    with pytest.raises(MaterialsError, match=r"finite ones of the shape \(30, 8\) are wanted"):
        record_attributions(tmp_path / "said.json", CASES, weights, toward="above average")


def test_a_file_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "said.json").write_text("[]")
    with pytest.raises(MaterialsError, match="is no recording of attributions"):
        RecordedAttributions(path=str(tmp_path / "said.json")).explain(
            MODEL, inputs_of(CASES), np.random.default_rng(1)
        )
