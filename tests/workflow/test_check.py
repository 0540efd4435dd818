"""Check: all faults of a study at once, and materials tried only when the rest is sound."""

from pathlib import Path

import pytest

from tests.small_studies import numbered_items, two_group_plain, two_groups
from understudy.protocols import ready_names, ready_study
from understudy.workflow.checking.check import faults_of

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
