"""Cautions about dials: what a check says of a dial that has collapsed, or that nobody can see doing anything."""

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from tests.playing import page
from tests.small_studies import consent, debrief, two_group_plain
from understudy.check.model_facts import dial_sentences
from understudy.cli.main import app_of
from understudy.inference.cards import card_from_details
from understudy.inference.model_folders import write_model
from understudy.inference.onnx_graphs import GraphBuilder, TensorSpec
from understudy.prepare import Prepared, prepare
from understudy.schema import DecoderCard, Study

N_OUT = 12


def prepared_with(folder: Path, *, weights: list[float], widths: list[float]) -> Prepared:
    """A study with a decoder in which each dial brightens its own third of the picture, as strongly as its weight."""
    graph = GraphBuilder()
    mixing = np.repeat(np.diag(weights), N_OUT // 3, axis=1).astype(np.float32)
    graph.add("MatMul", "code", graph.constant("mixing", mixing), into="sums")
    graph.add("Sigmoid", "sums", into="shown")
    content = graph.to_bytes(
        "thirds", model_input=TensorSpec("code", ["rows", 3]), model_output=TensorSpec("shown", ["rows", N_OUT])
    )
    dials = [{"low": -width / 2, "high": width / 2} for width in widths]
    details = DecoderCard.model_validate({"name": "thirds", "shape": [3, 4], "dials": dials})
    write_model(card_from_details(details), content, folder)
    questions = {"name": "reconstruction", "params": {"file": "thirds.onnx"}}
    stage = {"kind": "stage", "block_id": "dials", "task": "reconstruct", "items": "pictures"}
    plain = two_group_plain(
        flow=[consent(), page("method", when={"explanation": "shown"}), stage, debrief()], item_sets=[{"name": "pictures", "n_items": 4, "dataset": questions}],
        measures=[{"name": "correct", "measure": "solved"}],
    )  # fmt: skip
    # JSON is YAML too.
    (folder / "study.yaml").write_text(json.dumps(plain), encoding="utf-8")
    return prepare(Study.model_validate(plain), folder)


@pytest.fixture(autouse=True)
def _needs_onnx() -> None:
    pytest.importorskip("onnx", reason="needs the extra torch")


def test_dials_that_people_see_at_work_need_no_caution(tmp_path: Path) -> None:
    assert dial_sentences(prepared_with(tmp_path, weights=[2, 2, 2], widths=[4, 4, 4])) == []


def test_a_dial_without_an_effect_is_named_with_the_questions_in_which_it_does_nothing(tmp_path: Path) -> None:
    (sentence,) = dial_sentences(prepared_with(tmp_path, weights=[2, 0, 2], widths=[4, 4, 4]))
    assert sentence.startswith("Dial 2 (the model) changes nothing visible in 4 of 4 questions")


def test_a_narrow_dial_without_an_effect_has_collapsed(tmp_path: Path) -> None:
    (sentence,) = dial_sentences(prepared_with(tmp_path, weights=[2, 2, 0.01], widths=[4, 4, 0.2]))
    assert sentence.startswith("Dial 3 (the model) has collapsed: its range of 0.2 is 5%")


def test_a_narrow_dial_that_people_see_at_work_has_not_collapsed(tmp_path: Path) -> None:
    assert dial_sentences(prepared_with(tmp_path, weights=[2, 2, 60], widths=[4, 4, 0.2])) == []


def test_check_prints_what_is_wrong_with_a_dial(tmp_path: Path) -> None:
    prepared_with(tmp_path, weights=[2, 0, 2], widths=[4, 4, 4])
    outcome = CliRunner().invoke(app_of(["check", "tune"]), ["check", str(tmp_path / "study.yaml")])
    assert "Warning: Dial 2 (the model) changes nothing visible in 4 of 4 questions" in outcome.output
