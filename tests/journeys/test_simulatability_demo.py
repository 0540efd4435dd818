"""The small simulation study: help is found where people read weights, none where they guess, and the pages work."""

import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.shell import understudy
from understudy.actions.casts import cast_from
from understudy.actions.rehearse import BrowserOptions, rehearse_in_browser
from understudy.actions.run_folder import new_run
from understudy.prepare import Prepared, prepare
from understudy.protocols import simulatability_demo


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    return prepare(simulatability_demo(), tmp_path_factory.mktemp("root"))


def rehearsed(cast: str, folder: Path) -> dict[str, dict[str, Any]]:
    """Return what the command prints as JSON: hypothesis -> finding."""
    words = ("rehearse", "simulatability-demo", "--people", 40, "--cast", cast, "--seed", 1, "--out", folder, "--json")
    told: dict[str, Any] = json.loads(understudy(*words).out)
    return {finding["hypothesis_id"]: finding for finding in told["findings"]}


def test_readers_of_weights_are_found_to_be_helped_by_lime_alone(tmp_path: Path) -> None:
    told = rehearsed("lime-reader", tmp_path / "run")
    assert {told[name]["verdict"] for name in ("change_all_lime", "over_control_all_lime")} == {"supported"}
    assert told["change_all_control"]["estimate"]["effect"] < 0.05


def test_guessers_of_labels_are_found_to_be_helped_by_nothing(tmp_path: Path) -> None:
    told = rehearsed("label-guesser", tmp_path / "run")
    changes = [one["verdict"] for name, one in told.items() if name.startswith(("change_", "over_control_"))]
    assert set(changes) == {"not_supported"}


def test_every_prediction_is_asked_in_balance(prepared: Prepared) -> None:
    for block, cells in (("examples", [2] * 4), ("predict_before", [2] * 4), ("edit_before", [1] * 8)):
        (ids,) = [one.trial_ids for one in prepared.materials.trial_sets if one.block_id == block]
        strata = Counter(json.dumps(prepared.key.strata[one], sort_keys=True) for one in ids)
        assert sorted(strata.values()) == cells


def test_the_control_arm_meets_no_word_of_explanations(prepared: Prepared) -> None:
    met = [
        trial
        for trial in prepared.materials.trials.values()
        if trial.block_id.endswith(("_control", "_again", "_before"))
    ]
    assert {trial.block_id for trial in met} >= {"procedure_control", "examples_again", "edit_again"}
    assert not any("explanation" in json.dumps(trial.params) or trial.explanation for trial in met)


def test_the_audit_finds_no_shortcut_and_says_how_good_one_would_have_to_be() -> None:
    told = understudy("check", "simulatability-demo")
    assert told.code == 0
    assert "so this is more than luck" not in told.out
    assert told.out.count("of cases, so this may be luck.") == 2
    # Both questions have 8 items, and share the sentence.
    assert told.out.count("With 8 items, ") == 1


@pytest.mark.usefixtures("browser")
def test_both_arms_are_walked_in_the_browser_without_a_fault(tmp_path: Path) -> None:
    study = simulatability_demo(quota=1)
    run = new_run(study, tmp_path, tmp_path / "run")
    cast = cast_from("lime-reader", study)
    told = rehearse_in_browser(run, cast, BrowserOptions(n_people=2, seed=1), environment=os.environ)
    assert (told.outcomes, told.faults) == ({"completed": 2}, ())
