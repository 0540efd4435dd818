"""Check names every reason why a study could not answer its question."""

import tomllib
from pathlib import Path

import pytest
import tomli_w

import understudy as us
from tests.shell import understudy
from tests.workflow.unanswerable_sessions import LEFT_WITHOUT_ANSWERS, timed
from tests.workflow.unanswerable_studies import (
    UNANSWERABLE,
    Unanswerable,
    bound_to_data,
    changed,
    sound_plain,
    within,
)


def told(plain: dict[str, object], folder: Path) -> tuple[int, list[str]]:
    path = folder / "study.toml"
    path.write_text(tomli_w.dumps(plain), encoding="utf-8")
    shown = understudy("check", path)
    return shown.code, shown.err.splitlines()


@pytest.mark.parametrize("case", [*UNANSWERABLE, *LEFT_WITHOUT_ANSWERS], ids=lambda case: case.label)
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


def warned(plain: dict[str, object], folder: Path) -> list[str]:
    path = folder / "study.toml"
    path.write_text(tomli_w.dumps(plain), encoding="utf-8")
    return [line for line in understudy("check", path).out.splitlines() if line.startswith("Warning")]


def test_people_who_are_all_half_right_still_differ_in_single_answers(tmp_path: Path) -> None:
    plain = sound_plain()
    timed(plain, "n_right != 4")
    plain["plan"]["outcomes"].append({"name": "single", "measure": "correct", "summary": "none"})
    code, said = told(plain, tmp_path)
    assert code == 2
    assert not any("'single'" in sentence for sentence in said)


def test_items_whose_answers_were_shown_before_are_told(tmp_path: Path) -> None:
    plain = sound_plain()
    learn = {"kind": "stage", "block_id": "learn", "purpose": "learning", "items": "cases"}
    plain["flow"].insert(
        1, {**learn, "task": {"name": "judge", "params": {"text": "What it said", "reveals": ["answer"]}}}
    )
    assert any(
        "asks about 12 of 12 items whose answers 'learn' has shown before" in text for text in warned(plain, tmp_path)
    )


def test_levels_that_differ_in_model_and_explanation_are_told(tmp_path: Path) -> None:
    study = tomllib.loads(understudy_text("loan-demo"))
    other = {
        "name": "linear_classifier",
        "params": {"weights": [-1.5, 0.2, 0.9, 0.6], "labels": ["defaulted", "repaid"]},
    }
    study["bindings"].append({"when": {"explanation": "hidden"}, "model": other})
    path = tmp_path / "study.toml"
    path.write_text(tomli_w.dumps(study), encoding="utf-8")
    assert "which differ in the model and in the explanation" in understudy("check", path).out
    assert any("differ in the model and in the explanation" in text for text in us.check(path).warnings)


def understudy_text(name: str) -> str:
    return us.toml_from_study(us.load(name))
