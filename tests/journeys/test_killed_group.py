"""Journey: four servers share a database, and one of them dies again and again under its participants."""

import os
from collections import Counter
from pathlib import Path

import pytest

from tests.journeys.killed_group import FULL, SMALL, found_after_kills
from tests.postgres_server import PostgresServer

pytest_plugins = ["tests.log_places"]


@pytest.mark.slow
def test_kills_among_four_servers_lose_nothing_and_give_no_place_twice(
    tmp_path: Path, postgres_server: PostgresServer
) -> None:
    size = FULL if os.environ.get("UNDERSTUDY_FULL_SIZE") else SMALL
    found = found_after_kills(size, tmp_path, postgres_server.new_database())
    assert found.n_kills == size.n_kills
    assert sum(person.n_retries for person in found.people) > 0
    assert sorted(summary.assignment.arrival for summary in found.summaries) == list(range(size.n_places))
    assert Counter((summary.condition, summary.outcome) for summary in found.summaries) == {
        ("shown", "completed"): size.n_places // 2,
        ("hidden", "completed"): size.n_places // 2,
    }
    assert sum(person.outcome == "full" for person in found.people) == size.n_people - size.n_places
    assert (found.lost, found.damage) == ([], None)
    assert found.exit_codes == [0, 0, 0, 0]
