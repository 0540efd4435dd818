"""People who return the study or run out of time at the platform free their place, however the news comes."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.fake_prolific import FakeProlific, Fault, Faults, api_of
from tests.fake_prolific.platform import Message
from tests.loops import finished
from tests.paid_people import published
from tests.paid_studies import paid_study
from tests.serve.stage_door import ADMIN, ADMIN_HEADERS, GENEROUS, SECRET, Hands, Person, client_of, folder_of
from understudy.actions.recruit import PlatformFile, ProlificPlatform
from understudy.actions.serve import served_from_folder
from understudy.recruiters.prolific import OLDEST_S, SIGNATURE, TIMESTAMP
from understudy.serve import close_app, create_app
from understudy.serve.desk.monitor_view import paused_by_rule
from understudy.serve.desk.routes import obey_stop_rules

STUDY, HOOK = "two-groups", "/api/s/two-groups/webhook"
NOW_S = 1_700_000_000


def with_platform(tmp_path: Path, play: Callable[[httpx.AsyncClient, FakeProlific], Any], **changes: Any) -> Any:
    """Serve a paid study with one place in each condition and a platform, and run a coroutine."""
    fake, clock = FakeProlific(secret="the secret of the workspace"), Hands()
    clock.ms = NOW_S * 1000
    known = PlatformFile(study_id=published(fake), webhook_secret=fake.secret)
    folder = folder_of(paid_study(assignment={"quota": 1}, **changes), tmp_path)
    served = replace(served_from_folder(folder), platform=ProlificPlatform(api_of(fake), known))
    app = create_app(
        [served], secret=SECRET, admin_token=ADMIN, clock=clock, seconds=lambda: clock() / 1000, settings=GENEROUS
    )
    try:

        async def run() -> Any:
            async with client_of(app) as client:
                return await play(client, fake)

        return finished(run())
    finally:
        close_app(app)
        served.log.close()


async def came(client: httpx.AsyncClient, fake: FakeProlific, name: str) -> Person:
    fake.enter("study0", name)
    person = Person(client, STUDY, PROLIFIC_PID=name)
    await person.start()
    return person


async def polled(client: httpx.AsyncClient) -> None:
    transport: Any = client._transport
    await transport.app.state.server.news[STUDY].poll()


async def sent(client: httpx.AsyncClient, message: Message) -> int:
    got = await client.post(HOOK, content=message.body, headers={**message.headers, "content-type": "application/json"})
    return got.status_code


@pytest.mark.parametrize(("status", "outcome"), [("RETURNED", "withdrew"), ("TIMED-OUT", "abandoned")])
def test_a_message_frees_the_place(tmp_path: Path, status: str, outcome: str) -> None:
    async def play(client: httpx.AsyncClient, fake: FakeProlific) -> Any:
        ann = await came(client, fake, "ann")
        await came(client, fake, "bob")
        full = (await Person(client, STUDY, PROLIFIC_PID="cy").start()).json()
        fake.leave("sub-ann", status)
        told = [await sent(client, message) for message in fake.webhooks]
        place = (await Person(client, STUDY, PROLIFIC_PID="dee").start()).status_code
        return "full" in full, told, place, (await ann.fetch())["ended"]["outcome"]

    assert with_platform(tmp_path, play) == (True, [204], 201, outcome)


def test_messages_that_come_twice_late_and_out_of_order_end_in_what_is_true(tmp_path: Path) -> None:
    async def play(client: httpx.AsyncClient, fake: FakeProlific) -> Any:
        ann, bob = await came(client, fake, "ann"), await came(client, fake, "bob")
        old = fake.message(
            {"event_type": "submission.status.change", "resource_id": "sub-bob", "status": "RETURNED"}, NOW_S
        )
        fake.leave("sub-ann", "RETURNED")
        new = fake.webhooks[-1]
        told = [await sent(client, message) for message in (new, old, new, old, new)]
        return told, (await ann.fetch())["ended"]["outcome"], (await bob.fetch())["ended"]

    assert with_platform(tmp_path, play) == ([204] * 5, "withdrew", None)


def test_lost_messages_are_made_up_for_by_asking(tmp_path: Path) -> None:
    async def play(client: httpx.AsyncClient, fake: FakeProlific) -> Any:
        ann = await came(client, fake, "ann")
        fake.leave("sub-ann", "TIMED-OUT")
        await polled(client)
        return (await ann.fetch())["ended"]["outcome"]

    assert with_platform(tmp_path, play) == "abandoned"


def test_somebody_who_finished_here_keeps_the_place(tmp_path: Path) -> None:
    async def play(client: httpx.AsyncClient, fake: FakeProlific) -> Any:
        ann = await came(client, fake, "ann")
        await ann.finish()
        fake.leave("sub-ann", "TIMED-OUT")
        await polled(client)
        return (await ann.fetch())["ended"]["outcome"]

    assert with_platform(tmp_path, play) == "completed"


def test_somebody_who_came_a_second_time_is_not_gone_because_of_the_first(tmp_path: Path) -> None:
    async def play(client: httpx.AsyncClient, fake: FakeProlific) -> Any:
        fake.enter("study0", "ann")
        fake.leave("sub-ann", "RETURNED")
        fake.submissions["sub-ann-1"] = fake.submissions.pop("sub-ann") | {"id": "sub-ann-1"}
        person = await came(client, fake, "ann")
        told = fake.message({"event_type": "submission.status.change", "resource_id": "sub-ann-1"}, NOW_S)
        heard = await sent(client, told)
        await polled(client)
        return heard, (await person.fetch())["ended"]

    assert with_platform(tmp_path, play) == (204, None)


@pytest.mark.parametrize("skew_s", [-OLDEST_S - 1, OLDEST_S + 1])
def test_forged_and_old_messages_are_refused(tmp_path: Path, skew_s: int) -> None:
    async def play(client: httpx.AsyncClient, fake: FakeProlific) -> Any:
        ann = await came(client, fake, "ann")
        fake.leave("sub-ann", "RETURNED")
        genuine = fake.webhooks[-1]
        forged = genuine._replace(headers={**genuine.headers, SIGNATURE: "AAAA"})
        moved = genuine._replace(headers={**genuine.headers, TIMESTAMP: str(NOW_S + 1)})
        changed = genuine._replace(body=genuine.body.replace(b"sub-ann", b"sub-bob"))
        skewed = fake.message(json.loads(genuine.body), NOW_S + skew_s)
        bare = genuine._replace(headers={})
        told = [await sent(client, message) for message in (forged, moved, changed, skewed, bare)]
        return told, (await ann.fetch())["ended"]

    assert with_platform(tmp_path, play) == ([403] * 5, None)


def test_a_message_that_cannot_be_checked_now_is_asked_for_again(tmp_path: Path) -> None:
    async def play(client: httpx.AsyncClient, fake: FakeProlific) -> Any:
        ann = await came(client, fake, "ann")
        fake.leave("sub-ann", "RETURNED")
        fake.faults = Faults(lambda _method, _path: "failed_before")
        first = await sent(client, fake.webhooks[-1])
        fake.faults = Faults()
        return first, await sent(client, fake.webhooks[-1]), (await ann.fetch())["ended"]["outcome"]

    assert with_platform(tmp_path, play) == (503, 204, "withdrew")


def test_a_return_of_another_study_frees_nothing_here(tmp_path: Path) -> None:
    async def play(client: httpx.AsyncClient, fake: FakeProlific) -> Any:
        ann = await came(client, fake, "ann")
        fake.submissions["sub-ann"]["study_id"] = "another"
        fake.leave("sub-ann", "RETURNED")
        return await sent(client, fake.webhooks[-1]), (await ann.fetch())["ended"]

    assert with_platform(tmp_path, play) == (204, None)


def with_stop_rule() -> dict[str, Any]:
    """The plan of the paid study, with a rule that is reached by the first person who completes it."""
    plan: dict[str, Any] = paid_study().model_dump(mode="json")["plan"]
    return plan | {"stop_rules": [{"rule_id": "enough", "watches": "completed", "at_least": 1}]}


@pytest.mark.parametrize("fault", ["none", "lost_before", "lost_after"])
def test_a_stop_rule_pauses_the_platform_and_tries_until_it_is_paused(tmp_path: Path, fault: Fault) -> None:
    async def play(client: httpx.AsyncClient, fake: FakeProlific) -> list[Any]:
        transport: Any = client._transport
        running = transport.app.state.server.studies[STUDY]
        person = await came(client, fake, "ann")
        await obey_stop_rules(running)
        before = fake.studies["study0"]["status"]
        await person.finish()
        fake.faults = Faults.once(fault, "transition")
        for _ in range(3):
            await obey_stop_rules(running)
        told = paused_by_rule(running.served.log.steering, STUDY)
        counts = (await client.get("/api/admin/studies", headers=ADMIN_HEADERS)).json()[0]
        said = [action.action for action in running.served.log.steering(STUDY)]
        # A researcher who resumes it there has decided.
        api_of(fake).transition_study("study0", "START")
        await obey_stop_rules(running)
        return [before, told, counts["is_platform_paused"], said, fake.studies["study0"]["status"]]

    before, told, is_paused, said, after = with_platform(tmp_path, play, plan=with_stop_rule())
    assert (before, is_paused, said, after) == (
        "ACTIVE",
        True,
        ["recruitment_paused", "platform_paused"],
        "ACTIVE",
    )
    assert told.endswith("The study is paused at its platform, too.")


def test_a_platform_that_sends_nobody_needs_no_pause() -> None:
    fake = FakeProlific()
    platform = ProlificPlatform(api_of(fake), PlatformFile(study_id=published(fake)))
    fake.studies["study0"]["status"] = "COMPLETED"
    platform.pause()
    assert fake.studies["study0"]["status"] == "COMPLETED"
