"""Questions of one page that are compared with each other get rows of their own."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from tests.playing import Player, rich_study, script_of, study_of
from understudy.check.study_check import declared_faults
from understudy.conduct import Script
from understudy.estimate import outcome_rows, variables_from_study
from understudy.estimate.codebook import answer_columns
from understudy.estimate.plan_check import plan_faults
from understudy.estimate.study_findings import study_results
from understudy.estimate.tables import frames_from_sessions, read_tables, write_tables
from understudy.schema import AnalysisPlan, Study

ATTRIBUTES = ("legs", "colour", "shape")
PLAN: dict[str, Any] = {
    "outcomes": [
        {"name": "found", "measure": "right", "summary": "max", "by": ["attribute"]},
        {"name": "single", "measure": "right", "summary": "none"},
        {"name": "n_right", "measure": "n_right"},
    ],
    "hypotheses": [
        {"hypothesis_id": "legs_over_colour", "claim": "Legs are found more often.", "outcome": "found",
         "factor": "attribute", "contrast": ["legs", "colour"], "direction": "greater", "analysis": "mcnemar"},
    ],
}  # fmt: skip


def page(**more: Any) -> dict[str, Any]:
    named = [{"attribute_id": name, "name": f"the {name}"} for name in ATTRIBUTES]
    key = {"legs": "relevant", "colour": "relevant", "shape": "irrelevant"}
    task = {"name": "relevance", "params": {"attributes": named, "key": key, "min_chars": 5, **more}}
    return {"kind": "screen", "block_id": "judge", "purpose": "main", "task": task}


def study(**parts: Any) -> Study:
    made: dict[str, Any] = {
        "name": "questions",
        "factors": [{"name": "explanation", "scope": "between", "levels": ["shown", "hidden"]},
                    {"name": "attribute", "scope": "question", "levels": ATTRIBUTES}],
        "item_sets": [],
        "measures": [
            {"name": "right", "measure": "correct", "over": "attribute"},
            {"name": "length", "measure": {"name": "text_length", "params": {"question": "{level}_why"}}, "over": "attribute"},
            {"name": "n_right", "measure": "correct", "over": "attribute", "summary": "sum"},
        ],
        "plan": PLAN,
        **parts,
    }  # fmt: skip
    return study_of(page(), **made)


@pytest.fixture(scope="module")
def script() -> Script:
    return script_of(study())


def session(script: Script, arrival: int, **answers: Any) -> Player:
    player = Player(script, arrival=arrival).until("judge")
    player.answer(**answers)
    return player.finish()


def rows(script: Script, **answers: Any) -> pd.DataFrame:
    answered = frames_from_sessions(script, [session(script, 0, **answers).log]).answers
    assert answered is not None
    return answered.set_index("attribute")


def test_a_page_with_three_questions_has_three_rows(script: Script) -> None:
    answered = rows(script, colour="Irrelevant")
    assert answered["right"].to_dict() == {"legs": 1.0, "colour": 0.0, "shape": 1.0}
    assert answered.loc["colour", "answer.given"] == "Irrelevant"


def test_a_measure_over_questions_can_read_the_question_next_to_each(script: Script) -> None:
    assert rows(script, legs_why="They move.", colour_why="Red and blue.")["length"].to_dict()["colour"] == 13


def test_a_summary_over_questions_is_a_number_of_the_session(script: Script) -> None:
    frames = frames_from_sessions(script, [session(script, 0, colour="Irrelevant").log])
    assert frames.sessions["n_right"].tolist() == [2.0]
    assert "right" not in frames.trials.columns


def test_the_table_has_the_columns_of_its_codebook(script: Script) -> None:
    answered = frames_from_sessions(script, [session(script, 0).log]).answers
    assert answered is not None
    assert list(answered.columns) == [entry.variable for entry in answer_columns(script)]


def test_stored_answers_are_the_same(script: Script, tmp_path: Path) -> None:
    logs = [session(script, k).log for k in range(3)]
    held = frames_from_sessions(script, logs).answers
    assert held is not None
    (read,) = read_tables(write_tables(script, logs, tmp_path)).answer_parts()
    pd.testing.assert_frame_equal(read, held, check_categorical=False, check_dtype=False)


def test_a_study_without_such_a_factor_has_no_table_of_answers(tmp_path: Path) -> None:
    plain = script_of(rich_study())
    files = write_tables(plain, [Player(plain).finish().log], tmp_path)
    assert files.answers is None
    assert sorted(path.name for path in tmp_path.iterdir()) == ["sessions.parquet", "trials.parquet"]


def test_questions_are_compared_within_people(script: Script) -> None:
    logs = [session(script, k, colour="Irrelevant" if k else "Relevant").log for k in range(8)]
    (finding,) = study_results(script, frames_from_sessions(script, logs)).findings.findings
    assert finding.estimate is not None
    assert finding.estimate.p_value == pytest.approx(0.5**7)
    assert finding.estimate.details["only_first"] == 7


def test_single_answers_carry_the_question_as_a_factor(script: Script) -> None:
    answered = frames_from_sessions(script, [session(script, 0).log]).answers
    assert answered is not None
    outcome = next(row for row in script.study.plan.outcomes if row.name == "single")
    assert "attribute" in outcome_rows(outcome, answered, variables_from_study(script.study)).rows.columns


def test_a_measure_of_whole_trials_cannot_be_split_by_question() -> None:
    plan = AnalysisPlan.model_validate({"outcomes": [{"name": "found", "measure": "all_right", "by": ["attribute"]}]})
    wrong = study(measures=[{"name": "all_right", "measure": "correct"}], plan=plan)
    assert plan_faults(plan, variables_from_study(wrong)) == [
        "Outcome 'found' is separated `by` 'attribute', which varies over questions, but 'all_right' scores whole "
        "trials. Give the measure over = 'attribute'."
    ]


FAULTS = (
    ({"name": "right", "measure": "correct", "over": "colours"}, "Measure 'right' names 'colours', which is not a known question-factor. Known: attribute."),
    ({"name": "right", "measure": "response_time", "over": "attribute"}, "does not read a question. Leave `over` out."),
    (
        {"name": "right", "measure": {"name": "text_length", "params": {"question": "{level}_reason"}}, "over": "attribute"},
        "Measure 'right' reads the question 'legs_reason', which its blocks (judge) do not ask.",
    ),
)  # fmt: skip


@pytest.mark.parametrize(("measure", "said"), FAULTS)
def test_a_measure_over_the_wrong_thing_is_refused(measure: dict[str, Any], said: str) -> None:
    faults = declared_faults(study(measures=[measure], plan={"outcomes": [{"name": "x", "measure": "right"}]}), Path())
    assert any(said in fault for fault in faults), faults
