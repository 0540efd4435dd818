"""A whole study with dials, rehearsed by each strategy and read by every measure of reconstruction."""

from pathlib import Path

import pytest

from tests.playing import study_of
from understudy.conduct import Script
from understudy.estimate.tables import frames_from_sessions
from understudy.prepare import prepare
from understudy.schema import Cast, CastMember, Ref
from understudy.simulate import rehearse

STRATEGIES = ("dial_random", "dial_number_watcher", "dial_visual_matcher", "dial_learner", "dial_features_matcher")
BY_TRIAL = (
    "solved", "slide_distance", "error_auc", "direction_changes", "dial_switches", "passes", "dial_coverage",
    "path_efficiency", "first_visit_share", "strategy_index", "first_direction_accuracy", "time_to_first_move",
    "idle_share",
)  # fmt: skip


@pytest.fixture(scope="module")
def script() -> Script:
    questions = {"name": "reconstruction", "params": {"decoder": "sinelines-gt", "distance": "tolerance_band"}}
    study = study_of(
        {"kind": "stage", "block_id": "dials", "task": {"name": "reconstruct", "params": {"skip_after_s": 10}}, "items": "lines"},
        item_sets=[{"name": "lines", "n_items": 3, "dataset": questions}],
        measures=[
            *({"name": one, "measure": one} for one in BY_TRIAL),
            {"name": "learnt", "measure": {"name": "learning", "params": {"measure": "error_auc"}}},
            {"name": "accuracy", "measure": "solved", "summary": "mean"},
        ],
    )  # fmt: skip
    prepared = prepare(study, Path())
    return Script(study, prepared.materials, prepared.key, prepared.files)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_measure_of_reconstruction_reads_every_strategy(script: Script, strategy: str) -> None:
    cast = Cast(members=(CastMember(participant=Ref(name=strategy), share=1),))
    frames = frames_from_sessions(script, rehearse(script, cast, seed=1, n_people=4))
    rows = frames.trials[frames.trials["block"] == "dials"]
    assert len(rows) == 12
    assert rows[list(BY_TRIAL)].notna().any().all()
    assert frames.sessions["learnt"].notna().all()


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_people_at_dials_are_marked_synthetic(script: Script, strategy: str) -> None:
    cast = Cast(members=(CastMember(participant=Ref(name=strategy), share=1),))
    frames = frames_from_sessions(script, rehearse(script, cast, seed=1, n_people=1))
    assert frames.trials["is_synthetic"].all()
