"""Check names every reason why a study could not answer its question."""

from pathlib import Path

import pytest
import tomli_w

from tests.shell import understudy
from tests.workflow.unanswerable_studies import UNANSWERABLE, Unanswerable, bound_to_data, changed, sound_plain, within


def told(plain: dict[str, object], folder: Path) -> tuple[int, list[str]]:
    path = folder / "study.toml"
    path.write_text(tomli_w.dumps(plain), encoding="utf-8")
    shown = understudy("check", path)
    return shown.code, shown.err.splitlines()


@pytest.mark.parametrize("case", UNANSWERABLE, ids=lambda case: case.label)
def test_a_study_that_cannot_answer_its_question_is_told_in_a_sentence(case: Unanswerable, tmp_path: Path) -> None:
    code, said = told(changed(case), tmp_path)
    assert code == 2
    assert any(sentence.startswith(f"study.toml: {case.says}") for sentence in said), said


def test_at_least_thirty_unsound_studies_are_tried() -> None:
    assert len({case.label for case in UNANSWERABLE}) >= 30


def test_the_study_they_are_made_of_is_sound(tmp_path: Path) -> None:
    assert told(sound_plain(), tmp_path) == (0, [])


def test_turns_that_differ_are_sound(tmp_path: Path) -> None:
    plain = sound_plain()
    within(plain, "shown", "hidden")
    assert told(plain, tmp_path) == (0, [])


def test_arms_of_wholly_different_data_compare_the_data(tmp_path: Path) -> None:
    plain = sound_plain()
    bound_to_data(plain, range(8), range(8, 16))
    assert told(plain, tmp_path) == (0, [])


def test_arms_that_are_dealt_their_own_items_differ(tmp_path: Path) -> None:
    plain = sound_plain()
    plain["factors"].append({"name": "stimulus_set", "scope": "between", "levels": ["one", "two"]})
    plain["item_sets"][0]["dealt_over"] = "stimulus_set"
    assert told(plain, tmp_path) == (0, [])
