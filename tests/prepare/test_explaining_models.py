"""A model is explained as a whole once, on every page that says so, with exactly the pictures it shows."""

from pathlib import Path
from typing import Any

import pytest

from tests.playing import script_of, stage, study_of
from understudy.check.study_check import study_faults
from understudy.prepare import prepare
from understudy.schema import Cast, CastMember, PictureGrid, Ref, SessionEnded, Study, files_named_in
from understudy.simulate import rehearse

N_ROWS, N_COLUMNS = 4, 3
GRID = {"name": "score_grid", "params": {"dataset": "drawn_shapes", "n": 60, "n_rows": N_ROWS, "n_columns": N_COLUMNS}}
MODEL = {"name": "linear_classifier", "params": {"weights": [0.02] * 16 * 16}}


def grid_study(*bindings: dict[str, Any], **more: Any) -> Study:
    bound = bindings or ({"model": MODEL}, {"when": {"explanation": "shown"}, "model_explainer": GRID})
    return study_of(stage("judge", **{"explains_model": True, **more}), bindings=bound)


def faults(study: Study) -> str:
    return " ".join(study_faults(study, Path()))


def test_a_study_with_a_grid_is_sound_and_publishes_exactly_its_pictures() -> None:
    study = grid_study()
    assert study_faults(study, Path()) == []
    prepared = prepare(study, Path())
    grids = [trial.explanation for trial in prepared.materials.trials.values() if trial.explanation is not None]
    assert all(grid == grids[0] for grid in grids)
    assert isinstance(grids[0], PictureGrid)
    assert set(files_named_in(grids[0], frozenset(prepared.files))) == prepared.files.keys()
    assert len(prepared.files) == N_ROWS * N_COLUMNS


def test_simulated_people_complete_a_study_with_a_grid() -> None:
    cast = Cast(members=(CastMember(participant=Ref(name="noisy"), share=1),))
    sessions = list(rehearse(script_of(grid_study()), cast, seed=1))
    endings = [event.outcome for events in sessions for event in events if isinstance(event, SessionEnded)]
    assert "completed" in endings


def test_only_the_condition_that_binds_it_sees_the_grid() -> None:
    prepared = prepare(grid_study(), Path())
    seen = {
        one.levels["explanation"]: {prepared.materials.trials[name].explanation is not None for name in one.trial_ids}
        for one in prepared.materials.trial_sets
        if one.block_id == "judge"
    }
    assert seen == {"shown": {True}, "hidden": {False}}


def test_the_same_study_gives_the_same_grid() -> None:
    assert prepare(grid_study(), Path()).materials == prepare(grid_study(), Path()).materials


def test_blocks_that_do_not_ask_for_it_show_no_grid() -> None:
    study = study_of(
        stage("judge"), stage("more", explains_model=True), bindings=[{"model": MODEL, "model_explainer": GRID}]
    )
    explained = {trial.block_id for trial in prepare(study, Path()).materials.trials.values() if trial.explanation}
    assert explained == {"more"}


@pytest.mark.parametrize(
    ("study", "words"),
    [
        (grid_study({"model_explainer": "smoke"}), "'smoke' is not among the model_explainers"),
        (grid_study({"model_explainer": GRID}), "'score_grid' has no model to explain. Bind one"),
        (grid_study({"model": MODEL, "model_explainer": "score_grid"}), "has no dataset to draw from"),
        (grid_study({"model": MODEL}), "'judge' explains a model, but no binding names a model_explainer"),
        (grid_study(explains_model=False), "A model explainer is bound, but no block shows what it says"),
    ],
    ids=["unknown", "no model", "no dataset", "not bound", "not shown"],
)
def test_what_is_missing_is_said_in_one_sentence(study: Study, words: str) -> None:
    assert words in faults(study)


def test_a_task_that_draws_no_explanation_is_refused() -> None:
    page = {"kind": "screen", "block_id": "grid", "purpose": "instructions", "explains_model": True}
    told = {**page, "task": {"name": "questionnaire", "params": {"questions": []}}}
    study = study_of(told, stage("judge"), bindings=[{"model": MODEL, "model_explainer": GRID}])
    assert (
        "its task 'questionnaire' draws no explanation. Tasks that do: check_steps, decide_steps, instructions, judge"
        in faults(study)
    )


def test_a_screen_outside_the_loop_that_decides_its_model_is_refused() -> None:
    within = {"name": "model", "scope": "within", "levels": ["a", "b"], "order": "latin_square"}
    inside = {"kind": "loop", "block_id": "models", "over": "model", "blocks": [stage("judge", explains_model=True)]}
    bindings = [{"when": {"model": "a"}, "model": MODEL, "model_explainer": GRID}]
    sound = study_of(inside, factors=[within], bindings=bindings)
    apart = study_of(inside, stage("after", explains_model=True), factors=[within], bindings=bindings)
    assert "is in no loop" not in faults(sound)
    assert "'after' explains a model that depends on model, but is in no loop over it" in faults(apart)
