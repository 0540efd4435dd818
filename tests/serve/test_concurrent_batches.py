"""Batches that come twice, thrice, overlapping and in any order, all at once: each event is stored once, in its place."""

import asyncio
from pathlib import Path
from typing import Any

import httpx
import numpy as np

from tests.serve.stage_door import Person, client_of, folder_of, page_events, played, server, typical
from tests.small_studies import two_groups
from understudy.record import open_log
from understudy.schema import Event

N_PEOPLE = 20
N_COPIES = 4


class Restless(Person):
    """Somebody whose network sends every piece of every batch several times, in no order, all at once."""

    def __init__(self, client: httpx.AsyncClient, number: int) -> None:
        super().__init__(client, "two-groups", PROLIFIC_PID=f"person-{number}")
        self.rng = np.random.default_rng(number)
        self.sent: list[Any] = []
        self.statuses: list[int] = []

    async def take_part(self) -> None:
        await self.start()
        while self.state["ended"] is None:
            events = page_events(self.state, typical(self.state["step"]["trial"]))
            self.sent += events
            next_state: dict[str, Any] | None = None
            while next_state is None:
                got = await asyncio.gather(*(self._post(piece) for piece in self._pieces(events)))
                self.statuses += [one.status_code for one in got]
                await asyncio.sleep(0)
                now = (await self.client.get(f"{self.base}/state", headers=self.headers)).json()
                next_state = now if now["next_seq"] > events[-1]["seq"] else None
            self.state = self.told(next_state)

    async def _post(self, events: list[Any]) -> httpx.Response:
        sent = [self.worded(event) for event in events]
        return await self.client.post(f"{self.base}/events", json={"events": sent}, headers=self.headers)

    def _pieces(self, events: list[Any]) -> list[list[Any]]:
        """Cut the batch and all that was sent before into runs that overlap, repeat and are shuffled."""
        known = self.sent
        pieces = [known[int(start) :] for start in self.rng.integers(max(0, len(known) - 6), len(known), N_COPIES)]
        pieces += [events[:1], events[1:], events[:2], events[2:], events, known[-9:-3] or events]
        return [pieces[int(place)] for place in self.rng.permutation(len(pieces))]


def as_sent(event: Event) -> dict[str, Any]:
    return event.model_dump(mode="json", exclude={"session_id", "stream", "received_ms"}, exclude_none=True)


def test_batches_in_any_order_and_number_are_stored_once_and_in_order(tmp_path: Path) -> None:
    folder = folder_of(two_groups(assignment={"quota": N_PEOPLE // 2}), tmp_path)

    async def play(_: httpx.AsyncClient) -> list[Restless]:
        people = [Restless(client_of(app), number) for number in range(N_PEOPLE)]
        await asyncio.gather(*(person.take_part() for person in people))
        for person in people:
            await person.client.aclose()
        return people

    with server(folder) as app:
        people = played(app, play)
    with open_log(folder / "events.sqlite") as log:
        stored = {events[0].session_id: events for events in log.sessions()}
    assert len(stored) == N_PEOPLE
    for person in people:
        page = [event for event in stored[person.token.partition(".")[0]] if event.stream == "page"]
        assert [as_sent(event) for event in page] == person.sent
    assert {status for person in people for status in person.statuses} == {200, 409, 410}
