"""Help: every command says what it does and shows an example."""

import pytest

from tests.shell import understudy
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
