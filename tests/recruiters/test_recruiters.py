"""A link names a person by the parameters of the recruiter that sent them."""

import re
from pathlib import Path

import pytest

from understudy import registry
from understudy.recruiters import id_parameters, recruiter_id_of
from understudy.schema import Ref

SCHEMA = Path(__file__).parents[2] / "frontend" / "src" / "schema.ts"


@pytest.mark.parametrize("name", registry.names("recruiters"))
def test_each_recruiter_is_recognised_by_its_own_parameters(name: str) -> None:
    for parameter in registry.create("recruiters", Ref(name=name)).id_parameters:
        assert recruiter_id_of({"utm_source": "mail", parameter: "p-17"}) == "p-17"


def test_a_link_without_an_id_names_nobody() -> None:
    assert recruiter_id_of({"utm_source": "mail", "PROLIFIC_PID": ""}) is None


def test_the_platform_wins_over_an_id_of_the_lab() -> None:
    assert recruiter_id_of({"participant_id": "lab-3", "PROLIFIC_PID": "5f3c"}) == "5f3c"


def test_the_page_looks_for_the_same_parameters() -> None:
    written = re.search(
        r"RECRUITER_IDS: readonly string\[\] = \[(.*?)\]", SCHEMA.read_text(encoding="utf-8"), re.DOTALL
    )
    assert written is not None
    assert set(re.findall(r'"(\w+)"', written[1])) == set(id_parameters())
