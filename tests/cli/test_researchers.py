"""The command that gives researchers names: what it prints, and what it refuses."""

import io
import sys
from pathlib import Path
from unittest.mock import patch

import pytest

from tests.serve.stage_door import folder_of
from tests.shell import Shown, understudy
from tests.small_studies import two_groups

PASSWORD = "four quiet random words"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return folder_of(two_groups(), tmp_path / "run")


def typed(text: str, *words: str | Path) -> Shown:
    with patch.object(sys, "stdin", io.StringIO(text)):
        return understudy("researchers", *words)


def test_accounts_are_added_listed_changed_and_removed(folder: Path) -> None:
    shown = [
        typed(f"{PASSWORD}\n", "add", folder, "ada", "--role", "owner"),
        typed(f"{PASSWORD}\n", "add", folder, "vic"),
        typed("", "role", folder, "vic", "viewer"),
        typed(f"{PASSWORD} again\n", "password", folder, "vic"),
        typed("", "list", folder),
        typed("", "remove", folder, "vic"),
        typed("", "list", folder),
    ]
    assert [line.out for line in shown] == [
        "ada can sign in at /admin as owner.\n",
        "vic can sign in at /admin as researcher.\n",
        "vic is now viewer.\n",
        "vic has a new password and is signed out everywhere.\n",
        "ada\towner\nvic\tviewer\n",
        "vic can no longer sign in.\n",
        "ada\towner\n",
    ]
    assert (folder / "researchers.sqlite").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("text", "words", "sentence"),
    [
        ("", ["add", "ada", "--role", "owner"], "There was no password on standard input"),
        ("short\n", ["add", "ada", "--role", "owner"], "The password is too easy to guess"),
        ("", ["add", "ada"], "The first researcher has to be an owner: add yourself first, with --role owner"),
        ("", ["remove", "ada"], "There is no researcher 'ada'. Known: nobody yet."),
    ],
)
def test_a_fault_is_told_in_one_sentence(folder: Path, text: str, words: list[str], sentence: str) -> None:
    command, name, *more = words
    shown = typed(text, command, folder, name, *more)
    assert (shown.code, shown.out) == (2, "")
    assert sentence in shown.err


def test_a_folder_that_was_never_prepared_is_refused(tmp_path: Path) -> None:
    shown = typed("", "list", tmp_path)
    assert shown.code == 2
    assert "is not a prepared study" in shown.err
    assert not (tmp_path / "researchers.sqlite").exists()
