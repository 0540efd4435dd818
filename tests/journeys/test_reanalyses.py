"""Published data sets, from raw files through `tidy.py` and `understudy analyze` to every printed figure."""

import os
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.shell import understudy
from understudy.schema import Findings

EXAMPLES = Path(__file__).parents[2] / "examples" / "reanalyses"
DATA = Path(os.environ.get("UNDERSTUDY_DATA", "")) / "human"

pytestmark = pytest.mark.skipif(
    "UNDERSTUDY_DATA" not in os.environ or not DATA.is_dir(),
    reason="needs the published data sets: set UNDERSTUDY_DATA to the folder that holds human/",
)


class Case(NamedTuple):
    """One plan file, the raw table or the words for tidy.py, and the figures that are known not to agree."""

    folder: str
    plan: str
    table: str | None = None
    words: tuple[str, ...] = ()
    differing: frozenset[str] = frozenset()


PRINTED_DF = frozenset({"pack size, trial: df", "decision time, trial: df", "item 3: U"})
CASES = (
    Case("alien-zoo-intro", "plan-1.toml", words=("1",), differing=PRINTED_DF | {"item 5: SE"}),
    Case("alien-zoo-intro", "plan-2.toml", words=("2",), differing=PRINTED_DF),
    Case("explanation-preference-2020", "plan.toml"),
    Case("visual-correspondence-imagenet", "plan.toml", table="responses.csv"),
    Case("visual-correspondence-imagenet", "plan-everyone.toml", table="responses.csv"),
    Case("text-saliency-en", "plan.toml", table="responses_en.csv"),
)


class Analysed(NamedTuple):
    """A case and what `understudy analyze` found."""

    case: Case
    findings: Findings


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Case], Findings]:
    """What the command finds in a case, computed once."""
    return cache(lambda case: findings_of(case, tmp_path_factory.mktemp("tidy")))


@pytest.fixture(params=CASES, ids=lambda case: f"{case.folder}/{case.plan}")
def analysed(request: pytest.FixtureRequest, found: Callable[[Case], Findings]) -> Analysed:
    return Analysed(request.param, found(request.param))


def findings_of(case: Case, folder: Path) -> Findings:
    """Tidy the raw files where that is needed, and run the command on the table."""
    table = folder / "table.csv" if case.table is None else DATA / case.folder / case.table
    if case.table is None:
        tidy = EXAMPLES / case.folder / "tidy.py"
        subprocess.run([sys.executable, str(tidy), str(DATA / case.folder), str(table), *case.words], check=True)
    return shown(table, EXAMPLES / case.folder / case.plan)


def shown(table: Path, plan: Path) -> Findings:
    told = understudy("analyze", table, "--plan", plan, "--json")
    assert told.code == 0, told.err
    return Findings.model_validate_json(told.out)


def test_every_figure_that_reproduces_comes_out_to_the_printed_digit(analysed: Analysed) -> None:
    expected = [figure for figure in analysed.findings.published if figure.is_expected]
    assert expected
    assert [(figure.label, figure.published, figure.recomputed) for figure in expected if not figure.agrees] == []


def test_figures_that_do_not_reproduce_are_shown_as_they_are(analysed: Analysed) -> None:
    differing = {figure.label for figure in analysed.findings.published if not figure.agrees}
    assert analysed.case.differing <= differing


def test_data_collected_elsewhere_confirm_nothing(analysed: Analysed) -> None:
    assert {finding.status for finding in analysed.findings.findings} <= {"exploratory"}


def test_preference_intervals_are_about_as_wide_as_published(found: Callable[[Case], Findings]) -> None:
    case = next(case for case in CASES if case.folder == "explanation-preference-2020")
    widths = [figure for figure in found(case).published if figure.label.endswith("±")]
    assert len(widths) == 18
    assert max(abs((figure.recomputed or 0) - figure.published) for figure in widths) < 0.25
