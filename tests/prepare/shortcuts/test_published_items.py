"""The released items of Hase and Bansal give some of their answers away, and the audit says how."""

import os
from pathlib import Path

import numpy as np
import pytest

from understudy.check.shortcuts import audited
from understudy.prepare import prepare
from understudy.protocols import ready_study

STIMULI = Path(os.environ.get("UNDERSTUDY_DATA", "")) / "simulatability-stimuli"


@pytest.mark.skipif(not STIMULI.is_dir(), reason="the released stimuli are not in UNDERSTUDY_DATA")
def test_two_or_more_edits_mean_a_changed_prediction() -> None:
    audit = audited(prepare(ready_study("hase2020-original"), Path()), np.random.default_rng(1))
    [found] = [shortcut for shortcut in audit.shortcuts if "edits" in shortcut.rule]
    assert found.rule == "answer the shown prediction when the number of edits is less than 2"
    assert found.blocks == ("edit_before_tabular", "edit_after_tabular")
    assert found.accuracy == pytest.approx(23 / 32)
