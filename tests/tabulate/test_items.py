"""The table of items has what a reader needs to recompute a score without the software."""

import json
import zipfile
from pathlib import Path

import pandas as pd
import pytest

from understudy.api.runs import Run, rehearse


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return rehearse("loan-demo", people=8, seed=5, out=tmp_path_factory.mktemp("items") / "run")


def test_every_page_that_people_met_is_described_under_each_of_its_levels(run: Run) -> None:
    items, trials = run.items, run.table("trials")
    assert set(trials["trial"]) <= set(items["trial"])
    learned = items[items["block"] == "learn"]
    assert {level: len(group) for level, group in learned.groupby("explanation")} == {"shown": 12, "hidden": 12}
    shown = learned["shown.explanation"].notna()
    assert list(shown) == list(learned["explanation"] == "shown")
    assert set(learned["truth.label"]) == {"repaid", "defaulted"}
    page = json.loads(learned["shown.page"].iloc[0])
    assert page["content"]["income"] == learned["content.income"].iloc[0]


def test_the_score_of_each_session_follows_from_the_archive_alone(run: Run, tmp_path: Path) -> None:
    with zipfile.ZipFile(run.export(tmp_path / "run.zip")) as archive:
        by_end = {Path(name).name.rpartition("-")[2]: name for name in archive.namelist()}
        items = pd.read_csv(archive.open("materials/items.csv"))
        trials = pd.read_csv(archive.open(by_end["syntheticTrials_data.csv"]))
        sessions = pd.read_csv(archive.open(by_end["syntheticSessions_data.csv"])).set_index("session")
        codebook = pd.read_csv(archive.open("documentation/codebook.csv"))
        described = json.loads(archive.read("materials/items.json"))
    main = trials[trials["block"] == "predict"].merge(
        items.drop_duplicates("trial")[["trial", "right.prediction"]], on="trial"
    )
    assert len(main) == (trials["block"] == "predict").sum()
    n_correct = (main["answer.prediction"] == main["right.prediction"]).groupby(main["session"]).sum()
    assert n_correct.to_dict() == sessions["n_correct"].dropna().astype(int).to_dict()
    assert list(codebook.loc[codebook["table"] == "items", "variable"]) == list(items.columns)
    assert "right.prediction" in json.dumps(described)
