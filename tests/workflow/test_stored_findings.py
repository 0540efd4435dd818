"""Findings from tables in files equal those from tables in memory."""

from pathlib import Path

import pandas as pd
import pytest

from tests.playing import script_of
from tests.small_studies import two_groups
from understudy.actions.casts import MIXED
from understudy.estimate import tables
from understudy.estimate.study_findings import study_results
from understudy.estimate.tables import frames_from_sessions, read_tables, write_tables
from understudy.simulate import rehearse


@pytest.mark.parametrize("flush_rows", [40, 20_000])
def test_findings_and_digests_do_not_depend_on_where_the_tables_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, flush_rows: int
) -> None:
    monkeypatch.setattr(tables, "FLUSH_ROWS", flush_rows)
    script = script_of(two_groups())
    sessions = list(rehearse(script, MIXED, seed=4))
    held = study_results(script, frames_from_sessions(script, sessions))
    stored = study_results(script, read_tables(write_tables(script, sessions, tmp_path)))
    assert stored.findings == held.findings
    pd.testing.assert_frame_equal(stored.points, held.points, check_dtype=False, check_categorical=False)
