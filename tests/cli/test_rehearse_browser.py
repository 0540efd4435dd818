"""`understudy rehearse --browser`: what it says, and what its exit code means."""

import json
from pathlib import Path
from unittest.mock import patch

import pytest

from tests.shell import Shown, understudy
from understudy.errors import MissingExtra
from understudy.simulate.browser import BlockShown, BrowserRehearsal, FaultKind, PageFault

CONSENT = BlockShown(block_id="consent", task="consent", n_screens=2, median_ms=210.0, slowest_ms=1234.0)


def told(*kinds: FaultKind) -> BrowserRehearsal:
    faults = [PageFault(kind=kind, block_id="consent", said="It broke.", n_times=2) for kind in kinds]
    return BrowserRehearsal(
        study_name="loan-demo", seed=1, width_px=1024, height_px=640, n_people=2, is_full=False,
        outcomes={"completed": 2}, n_screens=2, blocks=(CONSENT,), faults=tuple(faults),
    )  # fmt: skip


def rehearsed(folder: Path, result: BrowserRehearsal | MissingExtra, *words: str) -> Shown:
    effect = {"side_effect": result} if isinstance(result, Exception) else {"return_value": result}
    with patch("understudy.cli.rehearse.rehearse_in_browser", **effect):
        return understudy("rehearse", "loan-demo", "--out", folder, "--browser", 2, *words)


def test_a_rehearsal_without_faults_says_what_was_looked_for(tmp_path: Path) -> None:
    shown = rehearsed(tmp_path, told())
    assert shown.code == 0
    assert "People: 2 (2 completed)" in shown.out
    assert "Faults: none (no page or console error, no failed request, nothing wider than 1024 x 640)." in shown.out
    assert "SYNTHETIC" in shown.out


@pytest.mark.parametrize("kind", ["page error", "console error", "failed request", "stuck"])
def test_an_error_of_a_page_is_shown_and_ends_with_1(tmp_path: Path, kind: FaultKind) -> None:
    shown = rehearsed(tmp_path, told(kind))
    assert shown.code == 1
    assert f"{kind} " in shown.out
    assert "It broke." in shown.out


def test_a_screen_that_is_too_wide_is_shown_but_no_error(tmp_path: Path) -> None:
    shown = rehearsed(tmp_path, told("overflow"))
    assert (shown.code, "overflow" in shown.out) == (0, True)


def test_json_holds_the_same(tmp_path: Path) -> None:
    shown = rehearsed(tmp_path, told("stuck"), "--json")
    assert (shown.code, BrowserRehearsal.model_validate(json.loads(shown.out))) == (1, told("stuck"))


def test_a_missing_browser_is_one_sentence(tmp_path: Path) -> None:
    shown = rehearsed(tmp_path, MissingExtra("There is no Chromium."))
    assert (shown.code, shown.err.strip()) == (2, "There is no Chromium.")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--show"], "--show shows a browser; add --browser with the number of simulated people.\n"),
        (["--browser", "2", "--people", "3"], "--browser sets the number of simulated people; leave --people out.\n"),
    ],
)
def test_options_that_do_not_go_together_are_refused(tmp_path: Path, words: list[str], said: str) -> None:
    shown = understudy("rehearse", "loan-demo", "--out", tmp_path / "run", *words)
    assert (shown.code, shown.err, (tmp_path / "run").exists()) == (2, said, False)
