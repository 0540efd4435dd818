"""What the dashboard counts: where everybody is, and what the finished earn by the hour."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.serve.stage_door import ADMIN_HEADERS, GENEROUS, Person, folder_of, played, server
from tests.small_studies import two_groups
from understudy.record import SessionSummary, Tombstone
from understudy.schema import Assignment, Ending
from understudy.serve.participant_flow import STOPS, participant_flow

STUDIES = "/api/admin/studies"
VISITS_PER_HOUR = 7200
"""By what their pages say, people of these tests are here for half a second."""
PLACE = Assignment(arrival=0, condition="shown", levels={}, seed=1)


def summary(outcome: Ending | None, excluded_by: str | None = None) -> SessionSummary:
    return SessionSummary("s", "p", "person", "d", PLACE, 0, 60_000, outcome, excluded_by)


@pytest.mark.parametrize(
    ("one", "stop"),
    [
        (summary(None), "active"),
        (summary("completed"), "completed"),
        (summary("declined"), "declined"),
        (summary("screened_out"), "screened_out"),
        (summary("withdrew"), "left"),
        (summary("abandoned", "too_fast"), "left"),
        (summary("completed", "too_fast"), "excluded_by_rule"),
        (summary("excluded", "too_fast"), "excluded_by_rule"),
        (summary("completed", "desk"), "excluded_by_hand"),
    ],
)
def test_everybody_is_at_one_stop(one: SessionSummary, stop: str) -> None:
    flow = participant_flow([one], [], {"too_fast"})
    assert {name for name in STOPS if flow[name]} == {stop}


def test_the_stops_add_up_to_the_recruited() -> None:
    gone = Tombstone("mark", "dials", "shown", "person", "completed", is_excluded=False, erased_ms=1)
    flow = participant_flow([summary("completed"), summary(None), summary("withdrew")], [gone], set())
    assert (flow["recruited"], sum(flow[name] for name in STOPS), flow["left"]) == (4, 4, 2)


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
        ended = await person.finish()
        return ended["pay"], await counted(client)

    with server(folder_of(study, tmp_path)) as app:
        settled, counts = played(app, play)
    assert settled["bonus"] > 0
    assert counts["pay_per_hour"] == pytest.approx(VISITS_PER_HOUR * (settled["base"] + settled["bonus"]))
