"""What the dashboard counts: where everybody is, and what the finished earn by the hour."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.serve.stage_door import ADMIN_HEADERS, GENEROUS, Hands, Person, folder_of, played, server
from tests.small_studies import two_groups
from understudy.conduct import headcount, session_status
from understudy.schema import Ending
from understudy.serve.desk.counts import flow_of

STUDIES = "/api/admin/studies"
VISITS_PER_HOUR = 7200
"""By what their pages say, people of these tests are here for half a second."""


@pytest.mark.parametrize(
    ("outcome", "excluded_by", "stop"),
    [
        (None, None, "active"),
        ("completed", None, "completed"),
        ("declined", None, "declined"),
        ("screened_out", None, "screened_out"),
        ("withdrew", None, "withdrew"),
        ("abandoned", "too_fast", "abandoned"),
        ("completed", "too_fast", "excluded_by_rule"),
        ("excluded", "too_fast", "excluded_by_rule"),
        ("completed", "desk", "excluded_by_hand"),
    ],
)
def test_everybody_is_at_one_stop(outcome: Ending | None, excluded_by: str | None, stop: str) -> None:
    assert session_status(outcome, excluded_by, {"too_fast"}) == stop


def test_the_stops_add_up_to_the_recruited() -> None:
    flow = flow_of(headcount(["completed", "active", "withdrew"], n_erased=1)).model_dump()
    recruited = flow.pop("recruited")
    assert (recruited, sum(flow.values()), flow["left"]) == (4, 4, 2)


def test_a_rehearsal_is_one_of_simulated_people_before_the_first_arrives(tmp_path: Path) -> None:
    with server(folder_of(two_groups(), tmp_path), settings=replace(GENEROUS, is_rehearsal=True)) as app:
        study = played(app, counted)
    assert (study["kinds"], list(study["flows"])) == ({"synthetic": 0}, ["synthetic"])


async def counted(client: httpx.AsyncClient) -> Any:
    return (await client.get(STUDIES, headers=ADMIN_HEADERS)).json()[0]


def test_pay_by_the_hour_counts_the_bonus(tmp_path: Path) -> None:
    bonus = {"measure": "n_correct", "per_unit": 0.5}
    pay = {"currency": "EUR", "base": 2, "bonuses": [bonus], "expected_minutes": 8}
    correct = {"name": "correct", "measure": "correct"}
    study = two_groups(pay=pay, measures=[correct, {**correct, "name": "n_correct", "summary": "sum"}])

    async def play(client: httpx.AsyncClient) -> tuple[Any, Any]:
        person = Person(client, "two-groups")
        await person.start()
        clock.ms += 500
        ended = await person.finish()
        return ended["pay"], await counted(client)

    clock = Hands()
    clock.ms -= 500
    with server(folder_of(study, tmp_path), clock=clock) as app:
        settled, counts = played(app, play)
    assert settled["bonus"] > 0
    assert counts["pay_per_hour"] == pytest.approx(VISITS_PER_HOUR * (settled["base"] + settled["bonus"]))
