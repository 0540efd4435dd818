"""`understudy new`: a compact, commented file, like a ready study or by answers to a few questions."""

import io
from pathlib import Path

import pytest

import understudy as us
from tests.shell import Shown, understudy
from understudy.actions.studies import compact_toml
from understudy.actions.study_files import plain_for_toml


class Terminal(io.StringIO):
    """Somebody at a terminal who types these lines."""

    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def answered(monkeypatch: pytest.MonkeyPatch, *lines: str) -> Shown:
    monkeypatch.setattr("sys.stdin", Terminal("".join(f"{line}\n" for line in lines)))
    return understudy("new")


@pytest.mark.parametrize("number", ["1", "2", "3", "4", "5"])
def test_answers_to_questions_make_a_sound_study(number: str, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = answered(monkeypatch, "mine.toml", number, "12")
    assert shown.out.endswith("Wrote mine.toml. Change it, then: understudy check mine.toml\n")
    assert us.check("mine.toml").faults == ()


def test_the_number_of_people_is_that_of_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    answered(monkeypatch, "mine.toml", "1", "12")
    assert us.load("mine.toml").assignment.quota == 12


def test_an_answer_that_is_not_offered_is_asked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "Give a number from 1 to 5." in answered(monkeypatch, "mine.toml", "9", "2", "30").out


def test_the_name_that_is_offered_is_free(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("my-study.toml").touch()
    assert "Wrote my-study-2.toml." in answered(monkeypatch, "", "1", "12").out


def test_without_a_terminal_the_file_must_be_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO())
    shown = understudy("new")
    assert shown.code == 2
    assert shown.err.startswith("Name the file to write, such as: understudy new my-study.toml.")


def test_a_new_file_says_what_each_part_is_for() -> None:
    understudy("new", "mine.toml")
    text = Path("mine.toml").read_text(encoding="utf-8")
    assert "# What people see, page by page.\n[[flow]]\n" in text
    assert text.count("\n# ") == 12


@pytest.mark.parametrize("name", us.ready_studies())
def test_compact_text_holds_the_whole_study(name: str) -> None:
    study = us.load(name)
    assert us.study_from_toml(compact_toml(plain_for_toml(study))) == study
