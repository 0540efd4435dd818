"""Each command that takes a study prepares it once, and a study that cannot be prepared is refused by its file's name."""

from pathlib import Path
from typing import Any

import pytest

from tests.shell import understudy
from tests.small_studies import helped_flow, numbered_items, two_groups
from understudy.actions.demo import demo_runs
from understudy.actions.study_files import write_study
from understudy.prepare import prepared
from understudy.prepare.trials import Workbench

POWER = ("--on", "explanation=shown", "--n", 3, "--effects", 0, "--simulations", 1, "--workers", 1)
COMMANDS: dict[str, tuple[str | int, ...]] = {
    "check": (),
    "prepare": ("--out", "run"),
    "rehearse": ("--out", "run", "--people", 2),
    "power": POWER,
    "preregister": (),
}


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def digests(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The version of every study that is prepared, in order."""
    seen: list[str] = []

    def counted(study: Any, *more: Any) -> Any:
        seen.append(study.digest)
        return Workbench(study, *more)

    monkeypatch.setattr(prepared, "Workbench", counted)
    return seen


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_prepares_a_study_once(command: str, digests: list[str]) -> None:
    study = two_groups(assignment={"quota": 4}, flow=helped_flow())
    shown = understudy(command, write_study(study, Path("study.toml")), *COMMANDS[command])
    assert shown.code == 0, shown.err
    assert digests.count(study.digest) == 1


def test_the_demo_prepares_its_study_once_for_both_of_its_runs(digests: list[str]) -> None:
    runs = demo_runs(two_groups(), Path(), Path("demo"))
    assert len(digests) == 1
    assert runs.people.prepared.materials == runs.simulated.prepared.materials
    assert {run.folder.name for run in runs if (run.folder / "study.json").is_file()} == {"people", "simulated"}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_study_with_too_few_items_is_refused_by_the_name_of_its_file(command: str) -> None:
    items = {"name": "cases", "n_items": 12, "dataset": numbered_items(10, answer=["yes", "no"])}
    file = write_study(two_groups(item_sets=[items], assignment={"quota": 4}), Path("study.toml"))
    shown = understudy(command, file, *COMMANDS[command])
    assert shown.code == 2
    assert shown.err.lstrip().startswith("study.toml: Item set 'cases' wants 12 items, but its dataset gives too few")
    assert [path.name for path in Path().iterdir()] == ["study.toml"]
