"""Check: all faults of a study at once, and materials tried only when the rest is sound."""

from pathlib import Path
from typing import Any

import pytest

from tests.small_studies import RIGHT_OR_WRONG, numbered_items, two_group_plain, two_groups
from understudy.check.study_check import faults_of, unanswerable
from understudy.prepare import prepare
from understudy.protocols import ready_names, ready_study
from understudy.schema import Study

NOT_SHIPPED = {
    "hase2020-tabular-adult": "UCI Adult data",
    "hase2020-text-polarity": "sentence polarity data",
}
"""Studies of the data folder, and what they ask for where it is empty."""


@pytest.mark.parametrize(("name", "wanted"), NOT_SHIPPED.items())
def test_a_study_of_the_data_folder_says_what_it_misses(
    name: str, wanted: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNDERSTUDY_DATA", str(tmp_path))
    (fault,) = faults_of(ready_study(name), tmp_path)
    assert wanted in fault


# The studies with maps take seconds each, and tests/protocols/kim2022/test_shipped.py looks at them.
CHECKED_HERE = sorted(name for name in ready_names() if name not in NOT_SHIPPED and not name.startswith("kim2022"))


@pytest.mark.parametrize("name", CHECKED_HERE)
def test_every_ready_study_is_sound_but_for_decoders_still_to_be_trained(name: str, tmp_path: Path) -> None:
    faults = [fault for fault in faults_of(ready_study(name), tmp_path) if "stimuli of Hase and Bansal" not in fault]
    assert [fault for fault in faults if "needs the file 'decoders/mnist-" not in fault] == []
    assert bool(faults) == (name in {"ross2021-mnist", "ross2021-thinkaloud"})


def test_faults_of_the_study_and_of_its_plan_come_together(tmp_path: Path) -> None:
    plan = two_group_plain()["plan"] | {"families": [{"name": "main"}]}
    faults = faults_of(two_groups(assignment={"policy": "fair"}, plan=plan), tmp_path)
    assert [fault.split(":")[0].split(" has")[0] for fault in faults] == ["The assignment policy", "Family 'main'"]


def test_no_fault_is_said_twice(tmp_path: Path) -> None:
    measures = [{"name": "correct", "measure": "correct", "blocks": ["train", "train"]}]
    assert faults_of(two_groups(measures=measures), tmp_path) == [
        "Measure 'correct' names 'train', which is not a known block. Known: consent, predict, debrief."
    ]


def test_a_shortage_of_items_is_found_by_trying(tmp_path: Path) -> None:
    items = {"name": "cases", "n_items": 12, "dataset": numbered_items(10, answer=["yes", "no"])}
    (fault,) = faults_of(two_groups(item_sets=[items]), tmp_path)
    assert fault.startswith("Item set 'cases' wants 12 items, but its dataset gives too few (10 looked at")


def test_checking_writes_nothing(tmp_path: Path) -> None:
    assert faults_of(two_groups(), tmp_path) == []
    assert list(tmp_path.iterdir()) == []


def asked_twice(measure: str, **params: Any) -> Study:
    """A page that shows the model's advice and asks for a first and a last decision."""
    first, last = ({**RIGHT_OR_WRONG, "question_id": name} for name in ("initial", "decision"))
    flow = two_group_plain()["flow"]
    flow[1]["task"]["params"] = {"questions": [first, last], "reveals": ["prediction"], "keys": {"decision": "answer"}}
    items = numbered_items(24, answer=["yes", "no"], prediction=["yes", "no"])
    return two_groups(
        flow=flow,
        item_sets=[{"name": "cases", "n_items": 12, "dataset": items}],
        measures=[
            {"name": "correct", "measure": "correct"},
            {"name": "relied", "measure": {"name": measure, "params": {"right": "answer", **params}}},
        ],
    )


@pytest.mark.parametrize("measure", ["switched", "relative_ai_reliance", "relative_self_reliance"])
def test_a_decision_before_advice_needs_a_page_that_hides_the_advice_until_then(measure: str, tmp_path: Path) -> None:
    (fault,) = faults_of(asked_twice(measure), tmp_path)
    assert fault == (
        "Measure 'relied' reads a decision before the advice, but the page of 'predict' shows all it has at once. Ask "
        "for both decisions in two phases, the first without the advice, and use the analysis `reliance`."
    )


@pytest.mark.parametrize("measure", ["switched", "relative_ai_reliance", "relative_self_reliance"])
def test_the_first_and_the_last_decision_are_two_questions(measure: str, tmp_path: Path) -> None:
    (fault,) = faults_of(asked_twice(measure, initial="decision"), tmp_path)
    assert fault.startswith("Measure 'relied': ")
    assert "'decision' is both the first decision and the last. Name two questions." in fault


@pytest.mark.parametrize("measure", ["followed_advice", "over_reliance", "under_reliance"])
def test_one_decision_with_the_advice_in_view_is_sound(measure: str, tmp_path: Path) -> None:
    assert faults_of(asked_twice(measure), tmp_path) == []


@pytest.mark.parametrize(
    ("measure", "params", "question"),
    [
        ("followed_advice", {}, "decision"),
        ("stated_confidence", {}, "confidence"),
        ("brier", {"question": "guess", "about": "sure"}, "sure"),
        ("believed", {}, "agreement"),
        ("learning", {"measure": {"name": "stated_confidence"}}, "confidence"),
    ],
)
def test_a_question_that_no_page_asks_is_named_even_if_a_measure_reads_it_by_default(
    measure: str, params: dict[str, Any], question: str, tmp_path: Path
) -> None:
    use = {"name": "read", "measure": {"name": measure, "params": params}}
    (fault,) = faults_of(two_groups(measures=[{"name": "correct", "measure": "correct"}, use]), tmp_path)
    assert fault.startswith(f"Measure 'read' reads the question {question!r}, which its blocks (predict) do not ask.")


@pytest.mark.parametrize("measure", ["solved_response_time", "slide_distance", "dial_labels", "learning"])
def test_a_measure_of_dials_needs_a_page_with_dials(measure: str, tmp_path: Path) -> None:
    use = {"name": "turned", "measure": measure}
    (fault,) = faults_of(two_groups(measures=[{"name": "correct", "measure": "correct"}, use]), tmp_path)
    assert fault == (
        "Measure 'turned' reads how dials are turned, but its blocks (predict) have none. Name the blocks of a live "
        "model in `blocks`, or leave the measure out."
    )


@pytest.mark.parametrize(
    ("measure", "params", "attribute"),
    [
        ("over_reliance", {"question": "guess", "right": "answer"}, "prediction"),
        ("item_is", {}, "model_is"),
        ("recognised", {"question": "guess"}, "model_is"),
    ],
)
def test_an_outcome_of_an_attribute_that_no_item_has_would_be_missing_for_everybody(
    measure: str, params: dict[str, Any], attribute: str, tmp_path: Path
) -> None:
    use = {"name": "read", "measure": {"name": measure, "params": params}}
    plan = two_group_plain()["plan"] | {"outcomes": [{"name": "accuracy", "measure": "read"}]}
    said = unanswerable(prepare(two_groups(measures=[use], plan=plan), tmp_path))
    assert (
        f"Outcome 'accuracy' is missing for everybody: it reads the attribute {attribute!r}, which no item of its blocks "
        "has. Items have: answer."
    ) in said
