"""Casting: from words on a command line, or a file, to who comes to a rehearsal."""

from pathlib import Path
from typing import Any

import pytest
import tomli_w

from tests.small_studies import two_groups
from understudy.actions.casts import DIALS, MIXED, cast_from, effect_from, level_from, with_effects
from understudy.errors import StudyError, UnknownName
from understudy.protocols import ross2021_synthetic
from understudy.registry import names
from understudy.schema import Effect

STUDY = two_groups()
CAREFUL = {"participant": "careful", "share": 1}


def cast_file(folder: Path, **parts: Any) -> str:
    (folder / "cast.toml").write_text(tomli_w.dumps({"members": [CAREFUL], **parts}), encoding="utf-8")
    return str(folder / "cast.toml")


def test_the_shares_of_the_mixed_cast_add_up_to_one() -> None:
    assert sum(member.share for member in MIXED.members) == pytest.approx(1)


def test_a_study_without_dials_meets_the_mixed_cast_as_it_is() -> None:
    assert cast_from("mixed", STUDY) == MIXED


@pytest.mark.parametrize("name", names("participants"))
def test_every_kind_of_person_is_a_cast(name: str) -> None:
    assert [member.participant.name for member in cast_from(name, STUDY).members] == [name]


def test_a_cast_file_is_read(tmp_path: Path) -> None:
    ability = {"accuracy": 0.8, "effects": [{"when": {"explanation": ["shown"]}, "blocks": ["predict"], "shift": 1.0}]}
    cast = cast_from(cast_file(tmp_path, name="mine", ability=ability), STUDY)
    assert (cast.name, cast.ability.accuracy, cast.ability.effects[0].shift) == ("mine", 0.8, 1.0)


def test_people_who_turn_dials_come_where_a_study_has_some() -> None:
    assert cast_from(None, ross2021_synthetic()) == DIALS
    assert cast_from("dials", STUDY) == DIALS
    assert cast_from(None, STUDY) == MIXED


def test_every_kind_that_turns_dials_is_in_the_cast_of_dials() -> None:
    # The oracle is an upper limit and not a kind of person.
    wanted = [name for name in names("participants") if name.startswith("dial_") and name != "dial_oracle"]
    assert sorted(member.participant.name for member in DIALS.members) == wanted


def test_an_unknown_cast_is_refused_with_the_known_ones() -> None:
    with pytest.raises(
        UnknownName,
        match=r"^'nobody' is not a cast\. Choose from: mixed, dials, relevance, predictions, believer, .* cast file\.$",
    ):
        cast_from("nobody", STUDY)


FAULTY: dict[str, tuple[dict[str, Any], list[str]]] = {
    "nobody": ({"members": []}, ["members has 0 entries, but needs at least 1."]),
    "no share": ({"members": [CAREFUL | {"share": 0}]}, ["members[1].share is 0, but must be more than 0."]),
    "certainty": ({"ability": {"accuracy": 1.0}}, ["ability.accuracy is 1.0, but must be less than 1."]),
    "factor": (
        {"ability": {"effects": [{"when": {"method": "a"}, "shift": 1}]}},
        ["ability.effects[1].when names 'method', which is not a factor of this study. Choose from: explanation."],
    ),
    "level": (
        {"ability": {"effects": [{"when": {"explanation": "loud"}, "shift": 1}]}},
        ["ability.effects[1].when names 'loud', which is not a level of 'explanation'. Choose from: shown, hidden."],
    ),
    "block": (
        {"ability": {"effects": [{"blocks": ["train"], "shift": 1}]}},
        [
            "ability.effects[1].blocks names 'train', which is not a block of this study. Choose from: consent, predict, debrief."
        ],
    ),
}


@pytest.mark.parametrize("case", FAULTY)
def test_a_faulty_cast_file_is_a_sentence(case: str, tmp_path: Path) -> None:
    parts, sentences = FAULTY[case]
    with pytest.raises(StudyError) as raised:
        cast_from(cast_file(tmp_path, **parts), STUDY)
    assert list(raised.value.faults) == [f"cast.toml: {sentence}" for sentence in sentences]


def test_all_faults_of_a_cast_file_are_said_at_once(tmp_path: Path) -> None:
    members = [CAREFUL | {"participant": "genius"}]
    with pytest.raises(StudyError) as raised:
        cast_from(cast_file(tmp_path, members=members, ability={"effects": [{"blocks": ["x"], "shift": 1}]}), STUDY)
    assert [fault.split(" ")[1] for fault in raised.value.faults] == [
        "members[1].participant:",
        "ability.effects[1].blocks",
    ]


def test_an_effect_is_read_from_words() -> None:
    assert effect_from("explanation=shown:-0.5", STUDY) == Effect(
        when={"explanation": "shown"}, blocks=("predict",), shift=-0.5
    )


@pytest.mark.parametrize("text", ["", "shown", "explanation=shown", "=shown:1", "explanation=:1", "explanation=shown:x",
                                  "explanation=shown:nan", "explanation=shown:inf"])  # fmt: skip
def test_what_is_no_effect_is_refused_with_the_form(text: str) -> None:
    with pytest.raises(
        StudyError, match=r"is not an effect\. Write factor=level:shift, such as explanation=shown:0\.5"
    ):
        effect_from(text, STUDY)


@pytest.mark.parametrize("text", ["explanation=loud", "method=shown"])
def test_an_effect_on_an_unknown_level_is_refused_with_the_known_ones(text: str) -> None:
    with pytest.raises(StudyError, match=r"Choose from: explanation=shown, explanation=hidden\.$"):
        level_from(text, STUDY)


def test_effects_add_to_those_a_cast_has() -> None:
    first, second = Effect(shift=1), Effect(shift=2)
    assert with_effects(with_effects(MIXED, (first,)), (second,)).ability.effects == (first, second)
