"""Every known mistake in a study file is one sentence, exit code 2, no traceback and nothing written."""

import subprocess
import sys
from pathlib import Path

import pytest
import tomli_w
import yaml

from tests.journeys.faulty_pieces import Faulty, changed_plain
from tests.journeys.faulty_studies import FAULTY, FILES, FaultyFile
from tests.shell import understudy
from tests.small_studies import helped_flow
from understudy.actions.study_files import MORE_MAY_FOLLOW

IN_A_PROCESS = (
    "several faults of meaning",
    "a rule that imports",
    "strata that do not come out even, found in the data",
)


def written(case: Faulty, path: Path) -> Path:
    plain = changed_plain(case.changes)
    path.write_text(tomli_w.dumps(plain) if path.suffix == ".toml" else yaml.safe_dump(plain), encoding="utf-8")
    return path


def found(told: str) -> list[str]:
    """Return what is wrong; after faults of form, the last line says that there may be more."""
    return [line for line in told.splitlines() if not line.endswith(MORE_MAY_FOLLOW)]


@pytest.mark.parametrize("case", FAULTY, ids=lambda case: case.label)
def test_a_mistake_is_said_in_its_sentences_alone(case: Faulty, tmp_path: Path) -> None:
    shown = understudy("check", written(case, tmp_path / "study.toml"))
    assert found(shown.err) == [f"study.toml: {sentence}" for sentence in case.says]
    assert (shown.code, shown.out, [path.name for path in tmp_path.iterdir()]) == (2, "", ["study.toml"])


@pytest.mark.parametrize("case", FAULTY[::12], ids=lambda case: case.label)
def test_yaml_reads_the_same(case: Faulty, tmp_path: Path) -> None:
    shown = understudy("check", written(case, tmp_path / "study.yaml"))
    assert (shown.code, found(shown.err)) == (2, [f"study.yaml: {sentence}" for sentence in case.says])


@pytest.mark.parametrize("command", ["prepare", "rehearse"])
def test_a_faulty_study_is_never_begun(command: str, tmp_path: Path) -> None:
    path = written(FAULTY[-1], tmp_path / "study.toml")
    assert understudy(command, path, "--out", tmp_path / "run").code == 2
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("case", FILES, ids=lambda case: case.label)
def test_a_file_that_holds_no_study_is_said_to(case: FaultyFile, tmp_path: Path) -> None:
    path = tmp_path / case.name
    path.write_bytes(case.content)
    shown = understudy("check", path)
    assert (shown.code, shown.err) == (2, f"{case.says}\n")


def test_a_missing_file_is_said_to_be_missing(tmp_path: Path) -> None:
    shown = understudy("check", tmp_path / "none.toml")
    assert (shown.code, shown.err) == (
        2,
        f"{tmp_path / 'none.toml'} cannot be read: no such file or directory. Check the path.\n",
    )


def test_a_folder_is_said_to_be_one(tmp_path: Path) -> None:
    (tmp_path / "study.toml").mkdir()
    shown = understudy("check", tmp_path / "study.toml")
    assert (shown.code, shown.err) == (
        2,
        f"{tmp_path / 'study.toml'} cannot be read: is a directory. Check the path.\n",
    )


@pytest.mark.parametrize("label", IN_A_PROCESS)
def test_a_real_process_says_the_same(label: str, tmp_path: Path) -> None:
    case = next(one for one in FAULTY if one.label == label)
    command = [sys.executable, "-c", "from understudy.cli.main import run; run()", "check"]
    path = written(case, tmp_path / "study.toml")
    done = subprocess.run([*command, path], capture_output=True, text=True, check=False)
    assert found(done.stderr) == [f"study.toml: {sentence}" for sentence in case.says]
    assert (done.returncode, done.stdout) == (2, "")


def test_the_study_is_sound_once_its_groups_differ(tmp_path: Path) -> None:
    shown = understudy("check", written(Faulty("nothing", {"flow": helped_flow()}, ()), tmp_path / "study.toml"))
    assert (shown.code, shown.err) == (0, "")
