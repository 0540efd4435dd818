"""An installation without extras defines, checks, rehearses, reports and exports; what needs an extra says which."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import pytest

from tests.house.core_commands import ROOT, SENTENCES, WORK

PLAN = """
title = "Scores"
[table]
participant = "who"
[[factors]]
name = "group"
scope = "between"
levels = ["x", "y"]
[[measures]]
name = "score"
value = "score"
unit = "session"
scale = "continuous"
better = "higher"
[plan]
outcomes = [{ name = "score", measure = "score" }]
[[plan.hypotheses]]
hypothesis_id = "H1"
claim = "x scores higher."
outcome = "score"
factor = "group"
analysis = "welch_t"
"""


class Core(NamedTuple):
    """What the commands left, by their words, and where."""

    told: dict[str, list[Any]]
    missing: list[str]
    folder: Path


@pytest.fixture(scope="module")
def core(tmp_path_factory: pytest.TempPathFactory) -> Core:
    folder = tmp_path_factory.mktemp("core")
    rows = pd.DataFrame({"who": [*"abcdef"], "group": ["x", "y"] * 3, "score": [5, 1, 6, 2, 7, 4]})
    rows.to_csv(folder / "rows.csv", index=False)
    rows.to_parquet(folder / "foreign.parquet")
    (folder / "plan.toml").write_text(PLAN, encoding="utf-8")
    path = os.pathsep.join([str(ROOT), str(ROOT / "src")])
    run = subprocess.run(
        [sys.executable, "-m", "tests.house.core_commands"],
        cwd=folder, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    result = json.loads(run.stdout)
    return Core(result["told"], result["missing"], folder)


def test_packages_of_extras_were_out_of_reach(core: Core) -> None:
    assert {"pyarrow", "statsmodels", "torch", "vl_convert"} <= set(core.missing)
    assert not {"numpy", "pandas", "scipy", "quickjs"} & set(core.missing)


@pytest.mark.parametrize("words", WORK, ids=" ".join)
def test_the_core_takes_a_study_all_the_way(core: Core, words: tuple[str, ...]) -> None:
    code, _, err = core.told[" ".join(words)]
    assert code == 0, err


def test_figures_are_vectors_only_and_that_is_said(core: Core) -> None:
    _, out, _ = core.told["report run --figures figures"]
    assert "Figures as PNG need 'vl_convert': pip install 'understudy[figures]'" in out
    assert {path.suffix for path in (core.folder / "figures").iterdir()} == {".svg"}


def test_its_report_has_figures_and_its_archive_parquet_tables(core: Core) -> None:
    assert "<svg" in (core.folder / "run" / "report.html").read_text(encoding="utf-8")
    assert (core.folder / "curves.svg").read_text(encoding="utf-8").startswith("<svg")
    with zipfile.ZipFile(core.folder / "archive.zip") as archive:
        (trials,) = (name for name in archive.namelist() if name.endswith("Trials_data.parquet"))
        with archive.open(trials) as stream:
            assert len(pd.read_parquet(stream)) > 0


@pytest.mark.parametrize(("need", "extra"), [("a figure as PNG", "figures"), ("a foreign table", "parquet")])
def test_what_needs_an_extra_says_which_in_one_sentence(core: Core, need: str, extra: str) -> None:
    code, _, err = core.told[" ".join(SENTENCES[need])]
    assert code == 2
    assert err.strip().endswith(f"Run: pip install 'understudy[{extra}]'")
    assert len(err.strip().splitlines()) == 1
