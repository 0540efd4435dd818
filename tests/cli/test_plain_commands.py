"""Help and mistakes of the command line in plain words."""

from pathlib import Path

import pytest

from tests.shell import understudy
from understudy.actions.studies import free_path


def in_one_line(text: str) -> str:
    """Undo the frames and line breaks of a terminal."""
    return " ".join(text.replace("│", " ").split())


@pytest.mark.parametrize("words", [("--help",), ("rehearse", "--help"), ("worlds", "--help")])
def test_help_shows_no_type_for_flags(words: tuple[str, ...]) -> None:
    shown = understudy(*words)
    assert shown.code == 0
    assert "bool" not in shown.out


MISTAKES = {
    ("rehearse", "loan-demo", "--people", "abc"): "'--people': it is 'abc', but must be a whole number.",
    ("rehearse", "loan-demo", "--people", "0"): "'--people': it is 0, but must be at least 1.",
    ("rehearse", "loan-demo", "--return-rate", "often"): "'--return-rate': it is 'often', but must be a number.",
    ("report", "run", "--for-participants", "--pdf", "x.pdf"): "'--for-participants': it needs a value, but the option --pdf follows.",
}  # fmt: skip


@pytest.mark.parametrize("words", MISTAKES)
def test_a_wrong_value_of_an_option_is_answered_in_plain_words(words: tuple[str, ...]) -> None:
    shown = understudy(*words)
    assert shown.code == 2
    assert MISTAKES[words] in in_one_line(shown.err)


def test_a_taken_name_gets_the_first_free_number(tmp_path: Path) -> None:
    wanted = tmp_path / "my-study.toml"
    assert free_path(wanted) == wanted
    for name in ("my-study.toml", "my-study-2.toml"):
        (tmp_path / name).touch()
    assert free_path(wanted).name == "my-study-3.toml"


def test_the_next_command_after_a_check_names_a_folder_that_is_free(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runs" / "loan-demo").mkdir(parents=True)
    assert "Next: understudy rehearse loan-demo --out runs/loan-demo-2" in understudy("check", "loan-demo").out
