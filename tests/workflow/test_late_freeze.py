"""A preregistration that came after the first participant is named among the deviations."""

from datetime import date
from pathlib import Path

import pytest

from tests.small_studies import two_groups
from understudy.report import freeze
from understudy.schema import SessionStarted
from understudy.simulate import rehearse
from understudy.workflow.casting import MIXED
from understudy.workflow.reporting import report_of
from understudy.workflow.run_folder import Run, new_run

CAME_MS = 1_772_366_400_000
CAME_ON = date(2026, 3, 1)


def with_people(folder: Path) -> Run:
    """Conduct a study whose people all began on one day."""
    run = new_run(two_groups(), Path(), folder)
    with run.open_log() as log:
        for events in rehearse(run.script, MIXED, seed=4):
            start = events[0]
            assert isinstance(start, SessionStarted)
            person = start.model_copy(update={"participant_kind": "person", "cast": None, "at_ms": CAME_MS})
            log.append([person, *events[1:]])
    return run


@pytest.mark.parametrize(
    ("frozen_on", "said"),
    [
        (
            date(2026, 3, 2),
            ["The preregistration was frozen on 2026-03-02, after the first participant came on 2026-03-01."],
        ),
        (CAME_ON, []),
    ],
)
def test_a_late_preregistration_is_a_deviation(tmp_path: Path, frozen_on: date, said: list[str]) -> None:
    run = with_people(tmp_path / "run")
    frozen = freeze(run.script.study, tmp_path, on=frozen_on, version="0.1.0").sidecar
    found = report_of(run, tmp_path / "report.html", preregistration=frozen).findings
    assert [one for one in found.provenance.deviations if "preregistration" in one] == said
