"""The original study of Hase and Bansal (2020): every trial drawn, every arm walked, nothing given away."""

import json
import os
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.journeys.drawing_board import Board, board_script
from tests.journeys.hase_trials import trials_from
from tests.journeys.test_player_access import violations_in_both_schemes
from tests.shell import understudy
from understudy.actions.rehearse import BrowserOptions, rehearse_in_browser
from understudy.actions.run_folder import existing_run, new_run
from understudy.prepare import Prepared, prepare, write_prepared
from understudy.protocols.hase2020.original import DOMAINS, METHODS, arms, hase2020_original
from understudy.schema import Ability, Cast, CastMember, Effect, Ref, SessionStarted, Trial, TrialShown
from understudy.sources.hase_sheets import read_stimuli
from understudy.sources.hase_stimuli import Domain

RELEASED = Path(os.environ.get("UNDERSTUDY_DATA", "nowhere")) / "simulatability-stimuli"
pytestmark = pytest.mark.skipif(
    not RELEASED.is_dir(), reason="UNDERSTUDY_DATA names no folder with simulatability-stimuli"
)
RAW = re.compile(r"undefined|NaN|\[object|\{\"|\*\*|-->|----")
"""What is seen only where data were not drawn."""
PASSING = Effect(blocks=tuple(f"screening_{method}" for method in METHODS), shift=12)


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    return prepare(hase2020_original(), tmp_path_factory.mktemp("root"))


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return board_script(tmp_path_factory.mktemp("board"))


def all_trials() -> list[Trial]:
    domains: tuple[Domain, ...] = ("text", "tabular")
    return [trial for domain in domains for trial in trials_from(read_stimuli(RELEASED, domain))]


def shown_words(trial: Trial) -> set[str]:
    """Return the words and values of an item that must be seen."""
    content: Any = trial.params["content"]
    parts = [content["original"], content["edited"]] if "original" in content else [content]
    return {str(word) for part in parts for word in (part["tokens"] if "tokens" in part else part.values())}


def test_all_released_trials_are_drawn_whole_and_fit_the_smallest_window(browser: Browser, script: Path) -> None:
    trials, board = all_trials(), Board(browser, script)
    faults: list[str] = []
    for first in range(0, len(trials), 80):
        batch = trials[first : first + 80]
        for trial, told in zip(batch, board.drawn(batch), strict=True):
            absent = [word for word in shown_words(trial) if word not in told["seen"]]
            raw = RAW.search(told["seen"])
            if told["out"] or absent or raw:
                faults.append(f"{trial.trial_id}: {told['out']}, {absent}, {raw}")
    assert len(trials) == 1760
    assert (faults, board.errors) == ([], [])


def test_no_kind_of_explanation_shuts_anybody_out(browser: Browser, script: Path) -> None:
    board = Board(browser, script)
    found: list[str] = []
    seen: set[str] = set()
    for trial in all_trials():
        kind = (
            f"{trial.trial_id.split('-')[0]} {trial.block_id} {trial.explanation.kind if trial.explanation else None}"
        )
        if kind not in seen:
            seen.add(kind)
            board.drawn([trial])
            found.extend(f"{kind}: {fault}" for fault in violations_in_both_schemes(board.page))
    assert len(seen) == 26
    assert found == []


def test_everybody_of_a_domain_meets_the_same_balanced_items(prepared: Prepared) -> None:
    for domain in DOMAINS:
        for block, cells in ((f"predict_before_{domain}", [8] * 4), (f"edit_before_{domain}", [4] * 8)):
            (ids,) = [trial_set.trial_ids for trial_set in prepared.materials.trial_sets if trial_set.block_id == block]
            strata = Counter(json.dumps(prepared.key.strata[trial_id], sort_keys=True) for trial_id in ids)
            assert sorted(strata.values()) == cells


def test_guessing_the_truth_or_copying_the_prediction_is_right_in_half_of_the_cases(prepared: Prepared) -> None:
    for domain in DOMAINS:
        for block in (f"predict_before_{domain}", f"edit_before_{domain}"):
            (ids,) = [trial_set.trial_ids for trial_set in prepared.materials.trial_sets if trial_set.block_id == block]
            truth = [prepared.key.truth[trial_id] for trial_id in ids]
            answers = [prepared.key.answers[trial_id]["prediction"] for trial_id in ids]
            for cue in ("label", "prediction") if block.startswith("edit") else ("label",):
                assert sum(facts[cue] == answer for facts, answer in zip(truth, answers, strict=True)) == 16


def test_no_answer_is_in_the_public_part(prepared: Prepared, tmp_path: Path) -> None:
    public = (write_prepared(prepared, tmp_path) / "public" / "materials.json").read_text(encoding="utf-8")
    assert not re.search(r'"(edited_prediction|keeps|n_edits|model_is|answers)":', public)
    predicting = [trial for trial in prepared.materials.trials.values() if trial.block_id.startswith("predict_")]
    assert {json.dumps(trial.params["revealed"]) for trial in predicting} == {"{}"}
    assert {trial.explanation for trial in predicting} == {None}


@pytest.mark.usefixtures("browser")
def test_every_arm_is_walked_in_the_browser_with_the_same_items_in_another_order(tmp_path: Path) -> None:
    study = hase2020_original(n_items=3, n_examples=2, quota=1)
    run = new_run(study, tmp_path, tmp_path / "run")
    cast = Cast(
        name="walkers",
        # Their page hears of time in steps of 2.5 s, and nothing here depends on how long they read.
        members=(CastMember(participant=Ref(name="careful", params={"median_s": 2}), share=1),),
        ability=Ability(effects=(PASSING,)),
    )
    told = rehearse_in_browser(run, cast, BrowserOptions(n_people=10, seed=4), environment=os.environ)
    assert (told.outcomes, told.faults) == ({"completed": 10}, ())
    walked = walked_arms(tmp_path / "run")
    assert sorted(walked) == sorted(arms())
    for arm, met in walked.items():
        domain = arm.split("-")[0]
        for before, after in (("predict_before", "predict_after"), ("edit_before", "edit_after")):
            first, second = met[f"{before}_{domain}"], met[f"{after}_{domain}"]
            assert sorted(first) == sorted(second)
            assert len(set(first)) == 3
        assert any(met[f"{stage}_before_{domain}"] != met[f"{stage}_after_{domain}"] for stage in ("predict", "edit"))


def walked_arms(folder: Path) -> dict[str, dict[str, list[str]]]:
    """Return, for each condition, the items met in each block, in their order."""
    run = existing_run(folder)
    walked: dict[str, dict[str, list[str]]] = {}
    with run.open_log() as log:
        for events in log.sessions(run.script.study.name):
            started = events[0]
            assert isinstance(started, SessionStarted)
            met = walked.setdefault(started.assignment.condition, {})
            for event in events:
                if isinstance(event, TrialShown):
                    trial = run.script.trials[event.trial_id]
                    met.setdefault(trial.block_id, []).append(str(trial.stimulus_id))
    return walked


def test_without_the_data_the_check_says_in_one_sentence_what_to_do(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("UNDERSTUDY_DATA", str(tmp_path))
    told = understudy("check", "hase2020-original")
    assert told.code == 2
    assert "set UNDERSTUDY_DATA to the folder that holds simulatability-stimuli" in " ".join(told.err.split())
