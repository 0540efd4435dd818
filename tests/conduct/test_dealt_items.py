"""Items dealt over a between-factor: each level has its own items, balanced, and equally many people."""

from collections import Counter
from pathlib import Path
from typing import Any

from tests.playing import script_of, stage, study_of
from tests.small_studies import numbered_items
from understudy.check.study_check import declared_faults
from understudy.conduct import Ledger, assign
from understudy.conduct.visits import visits_for
from understudy.schema import Study

SETS = [f"set_{k}" for k in range(1, 5)]


def dealt_study(**item_set: Any) -> Study:
    items = {"name": "cases", "n_items": 24, "strata": ["answer"], "dealt_over": "stimulus_set", **item_set}
    return study_of(
        stage("predict"),
        factors=[{"name": "stimulus_set", "scope": "between", "levels": SETS}],
        item_sets=[{**items, "dataset": numbered_items(48, answer=["yes", "no"])}],
        plan={"outcomes": [{"name": "accuracy", "measure": "correct"}]},
        assignment={"quota": 5},
    )


def items_by_set(study: Study) -> dict[str, list[str]]:
    script, ledger = script_of(study), Ledger(study)
    found: dict[str, list[str]] = {}
    for arrival in range(12):
        assignment = assign(ledger, arrival)
        assert assignment is not None
        visit = next(v for v in visits_for(study.flow, assignment) if v.block.block_id == "predict")
        found.setdefault(assignment.levels["stimulus_set"], sorted(script.trial_ids(visit, assignment, {})))
    return found


def test_every_set_has_its_own_items_and_all_of_them_together_are_the_item_set() -> None:
    by_set = items_by_set(dealt_study())
    assert [len(by_set[name]) for name in SETS] == [6, 6, 6, 6]
    assert len({trial_id for ids in by_set.values() for trial_id in ids}) == 24


def test_every_set_is_balanced_over_the_strata() -> None:
    study = dealt_study()
    strata = script_of(study).strata
    for ids in items_by_set(study).values():
        assert Counter(str(strata[trial_id]["answer"]) for trial_id in ids) == {"yes": 3, "no": 3}


def test_a_set_that_does_not_come_out_even_is_a_fault() -> None:
    faults = declared_faults(dealt_study(n_items=22), Path())
    assert any("deals 22 items to 4 levels of 'stimulus_set'" in fault for fault in faults)


def test_a_factor_that_does_not_vary_between_people_is_a_fault() -> None:
    faults = declared_faults(dealt_study(dealt_over="answer"), Path())
    assert any("dealt_over" in fault and "'answer'" in fault for fault in faults)
