"""A bot kit: programs that treat the server as people never would."""

from typing import Any

import httpx

from tests.serve.stage_door import Hands, Person, page_events, typical


async def forge_times(person: Person, clock: Hands, *, claimed_ms: float, real_ms: int) -> dict[str, Any]:
    """Answer every step after so long, and claim another time."""
    await person.start()
    page_ms = clock.ms
    while person.state["ended"] is None:
        clock.ms += real_ms
        page_ms += int(claimed_ms)
        events = page_events(person.state, typical(person.state["step"]["trial"]), at_ms=page_ms)
        events[-1] |= {"rt_ms": claimed_ms, "active_ms": claimed_ms}
        got = await person.send(events)
        assert got.status_code == 200, got.text
    return dict(person.state["ended"])


async def skip_looking(person: Person) -> httpx.Response:
    """Answer the first step without ever having been shown it."""
    await person.start()
    events = page_events(person.state, typical(person.state["step"]["trial"]))
    return await person.send([{**events[-1], "seq": 1}])


async def flood(client: httpx.AsyncClient, study: str, n: int) -> list[int]:
    """Come n times at once, each time under another name."""
    address = f"/api/s/{study}/start"
    came = [await client.post(address, json={"recruiter": {"PROLIFIC_PID": f"flood {k}"}}) for k in range(n)]
    return [got.status_code for got in came]


async def chatter(person: Person, *, n_bytes: int, n_batches: int) -> list[int]:
    """Store as much as possible without ever answering; return how each attempt ended."""
    await person.start()
    shown, touched, _ = page_events(person.state, {})
    await person.send([shown])
    statuses: list[int] = []
    for _ in range(n_batches):
        event = {**touched, "seq": person.state["next_seq"], "payload": {"text": "x" * n_bytes}}
        statuses.append((await person.send([event])).status_code)
    return statuses


def nested(depth: int) -> bytes:
    """Return a batch whose payload is so deep."""
    head = b'{"events":[{"type":"interacted","seq":1,"step":0,"trial_id":"x","at_ms":1,"action":"a","payload":{"a":'
    return head + b"[" * depth + b"]" * depth + b"}}]}"
