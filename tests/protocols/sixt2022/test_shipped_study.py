"""The ready studies run with what comes with the package, and nothing else."""

from pathlib import Path

import pytest

from understudy.actions.casts import default_cast
from understudy.conduct import Script
from understudy.estimate.tables import frames_from_sessions
from understudy.prepare import prepare
from understudy.protocols import ready_names, ready_study
from understudy.simulate import rehearse


@pytest.mark.parametrize("name", ["sixt2022-validation", "sixt2022-comparison"])
def test_a_ready_study_is_rehearsed_from_shipped_material(name: str, tmp_path: Path) -> None:
    assert name in ready_names()
    study = ready_study(name)
    script = Script(*prepare(study, tmp_path))
    frames = frames_from_sessions(script, rehearse(script, default_cast(study), seed=1, n_people=12))
    assert (frames.sessions["outcome"] == "completed").sum() > 6
    assert frames.sessions["is_synthetic"].all()
