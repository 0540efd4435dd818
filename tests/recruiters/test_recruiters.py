"""A link names a person by the parameters of the recruiter that sent them."""

import re
from pathlib import Path
from typing import Any

import pytest

from tests.paid_studies import PROLIFIC, paid_study
from tests.shell import understudy
from tests.small_studies import two_group_plain, two_groups
from understudy import registry
from understudy.check.entries import recruitment_faults
from understudy.check.study_check import study_faults
from understudy.recruiters import CloudResearch, id_parameters, recruiter_id_of
from understudy.schema import Ref

SCHEMA = Path(__file__).parents[2] / "frontend" / "src" / "schema.ts"


@pytest.mark.parametrize("name", registry.names("recruiters"))
def test_each_recruiter_is_recognised_by_its_own_parameters(name: str) -> None:
    for parameter in registry.create("recruiters", Ref(name=name)).id_parameters:
        assert recruiter_id_of({"utm_source": "mail", parameter: "p-17"}) == "p-17"


def test_a_link_without_an_id_names_nobody() -> None:
    assert recruiter_id_of({"utm_source": "mail", "PROLIFIC_PID": ""}) is None


@pytest.mark.parametrize("said", ["5f3c ", "\t5f3c", "5f3c\u200b", "\ufeff5f3c", "5f\x003c", "\u202e5f3c"])
def test_what_nobody_sees_in_a_link_makes_nobody_else(said: str) -> None:
    assert recruiter_id_of({"PROLIFIC_PID": said}) == "5f3c"


def test_a_parameter_of_spaces_names_nobody() -> None:
    assert recruiter_id_of({"PROLIFIC_PID": " ", "participant_id": "lab-3"}) == "lab-3"


def test_the_platform_wins_over_an_id_of_the_lab() -> None:
    assert recruiter_id_of({"participant_id": "lab-3", "PROLIFIC_PID": "5f3c"}) == "5f3c"


def test_the_page_looks_for_the_same_parameters() -> None:
    written = re.search(
        r"RECRUITER_IDS: readonly string\[\] = \[(.*?)\]", SCHEMA.read_text(encoding="utf-8"), re.DOTALL
    )
    assert written is not None
    assert set(re.findall(r'"(\w+)"', written[1])) == set(id_parameters())


def test_a_recruiter_names_everything_that_a_study_file_lacks() -> None:
    faults = study_faults(two_groups(recruitment={"recruiter": "prolific"}), Path())
    assert [fault.rpartition("write ")[2] for fault in faults] == [
        "recruitment.title.",
        "recruitment.description.",
        "pay.base, more than 0.",
        "pay.expected_minutes.",
        'ids = "required" under access.',
    ]


@pytest.mark.parametrize("name", registry.names("recruiters"))
def test_a_complete_study_file_lacks_nothing(name: str) -> None:
    params = {
        "sona": {"credit_url": "https://x.example?survey_code=XXXX"},
        "cloudresearch": {"completion_url": "https://x.example"},
    }
    recruiter = {"name": name, "params": params.get(name, {})}
    pay = {"currency": "USD", "base": 2.0, "expected_minutes": 10}
    assert study_faults(paid_study(recruitment={**PROLIFIC, "recruiter": recruiter}, pay=pay), Path()) == []


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"pay": {"currency": "EUR", "base": 2.0, "expected_minutes": 10}}, "GBP or USD"),
        (
            {
                "recruitment": {**PROLIFIC, "recruiter": {"name": "prolific", "params": {"screen_outs": 5}}},
                "flow": two_group_plain()["flow"],
            },
            "pay none",
        ),
        ({"recruitment": {**PROLIFIC, "recruiter": {"name": "prolific", "params": {"approvals": 1}}}}, "approval"),
        ({"access": {"links": "signed"}}, "nobody could start"),
        (
            {
                "recruitment": {**PROLIFIC, "recruiter": "mturk", "title": "x" * 129},
                "pay": {"currency": "USD", "base": 2.0, "expected_minutes": 10},
            },
            "has 129 characters; shorten recruitment.title to at most 128",
        ),
        ({"recruitment": {**PROLIFIC, "recruiter": "mturk"}}, "Mechanical Turk pays in USD, but pay.currency is 'GBP'"),
        ({"pay": {"currency": "GBP", "base": 2.005, "expected_minutes": 10}}, "write 2.00 or 2.01"),
        ({"recruitment": {"recruiter": "nonsense"}}, "Known: cloudresearch, link, mturk, prolific, sona."),
    ],
)
def test_what_prolific_cannot_do_is_one_sentence(changes: dict[str, Any], words: str) -> None:
    faults = [
        fault
        for fault in study_faults(paid_study(**changes), Path())
        if "xclusion" not in fault and "easure" not in fault
    ]
    assert len(faults) == 1
    assert words in faults[0]


def test_a_long_title_is_a_matter_of_mechanical_turk_alone() -> None:
    assert study_faults(paid_study(recruitment={**PROLIFIC, "title": "x" * 129}), Path()) == []


def test_a_later_part_is_reached_as_its_recruiter_can(tmp_path: Path) -> None:
    file = tmp_path / "part-1.toml"
    understudy("new", file)
    file.write_text(
        file.read_text()
        + '\n[access]\nids = "required"\n\n[recruitment]\nrecruiter = "prolific"\ndescription = "You predict a model."\n'
    )
    made = understudy("new", tmp_path / "part-2.toml", "--follows", file)
    shown = understudy("check", tmp_path / "part-2.toml")
    assert (made.code, shown.code, shown.err) == (0, 0, "")
    assert 'access.links to "signed"' not in shown.out


def test_an_address_without_a_code_is_for_people_who_finished() -> None:
    plain, coded = (
        CloudResearch(completion_url="https://x.example"),
        CloudResearch(completion_url="https://x.example/{code}"),
    )
    assert [plain.way_back(ending, "C", {}) for ending in ("completed", "screened_out", "full")] == [
        "https://x.example", None, None,
    ]  # fmt: skip
    assert coded.way_back("full", "C", {}) == "https://x.example/C"


def test_amounts_of_a_currency_without_cents_are_whole() -> None:
    study = paid_study(pay={"currency": "JPY", "base": 250.5, "expected_minutes": 10})
    assert "pay.base is 250.5, which cannot be paid in JPY, which has no cents; write 250 or 251." in [
        *recruitment_faults(study)
    ]
