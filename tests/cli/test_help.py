"""Help: every command says what it does and shows an example."""

from importlib.metadata import version
from pathlib import Path

import pytest

from tests.shell import understudy
from understudy.cli.arguments import studies_from
from understudy.cli.main import COMMANDS


def test_the_help_lists_every_command() -> None:
    shown = understudy("--help")
    assert shown.code == 0
    assert [name for name in COMMANDS if f" {name} " not in shown.out] == []


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_shows_an_example_of_itself(command: str) -> None:
    shown = understudy(command, "--help")
    assert shown.code == 0
    assert f"Example: understudy {command}" in shown.out


def test_an_unknown_command_is_refused() -> None:
    shown = understudy("rehearce")
    assert (shown.code, shown.out) == (2, "")
    assert "No such command 'rehearce'" in shown.err


def test_the_version_is_that_of_the_package() -> None:
    assert understudy("--version") == (0, f"{version('understudy')}\n", "")


def test_a_mistyped_command_is_answered_with_the_right_one() -> None:
    assert "Did you mean 'rehearse'" in understudy("rehearce").err


def test_a_mistyped_option_is_answered_with_the_right_one() -> None:
    assert "--people" in understudy("rehearse", "loan-demo", "--peple", 3).err


def test_a_mistyped_ready_study_is_answered_with_the_right_one() -> None:
    assert "Did you mean 'loan-demo'?" in understudy("check", "lon-demo").err


def test_a_study_file_without_its_ending_is_pointed_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.toml").touch()
    assert "Did you mean 'mine.toml'?" in understudy("check", "mine").err


@pytest.mark.parametrize("name", ["loan-demo.toml", "loan-demo"])
def test_a_ready_study_is_told_apart_from_a_file_of_its_name(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).touch()
    shown = understudy("check", "loan-demo")
    assert shown.code == 0
    assert shown.err.startswith("'loan-demo' is taken as the ready study of that name. ")
    assert f"'{name}'" in shown.err


def test_a_shell_completes_study_files_and_ready_studies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "loan-mine.toml").touch()
    assert studies_from("loan-") == ["loan-mine.toml", "loan-demo"]
