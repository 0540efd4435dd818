"""Alerts: what researchers are told at once, by webhook or e-mail, and told once."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette

from tests.alert_receivers import Hook, mail_server, webhook
from tests.log_events import ended, started
from tests.loops import finished
from tests.serve.stage_door import GENEROUS, Person, client_of, folder_of, server
from tests.shell import understudy
from tests.small_studies import two_groups
from understudy.record import open_log
from understudy.schema import Ending
from understudy.serve.alert_channels import Alert, Channel, NotDelivered, Webhook, channels_from
from understudy.serve.desk.alerts import AlertWatch
from understudy.serve.settings import AlertSettings

PLENTY = 10**12
TEST = Alert("test", "This is a test.", 1_700_000_000_000)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return folder_of(two_groups(assignment={"quota": 1}), tmp_path / "run")


def settings_for(hook: Hook, **more: Any) -> AlertSettings:
    return replace(AlertSettings((Webhook(hook.url),), free_bytes=lambda _: PLENTY, pauses_s=(0.0,)), **more)


def watched(
    app: Starlette, settings: AlertSettings, play: Callable[[AlertWatch, httpx.AsyncClient], Awaitable[None]]
) -> None:
    """Play something under a watch, and wait until all alerts are delivered."""

    async def run() -> None:
        watch = AlertWatch(app.state.server, settings)
        async with client_of(app) as client:
            await play(watch, client)
        await watch.delivered()

    finished(run())


async def looks_twice(watch: AlertWatch, _: httpx.AsyncClient) -> None:
    await watch.look()
    await watch.look()


def test_a_quiet_server_tells_nothing(folder: Path) -> None:
    with webhook() as hook, server(folder) as app:
        watched(app, settings_for(hook), looks_twice)
    assert hook.got == []


def test_a_disk_that_runs_full_is_told_once_until_it_was_well_again(folder: Path) -> None:
    free = iter([PLENTY, 1.4e9, 1.3e9, PLENTY, 0.2e9])

    async def play(watch: AlertWatch, _: httpx.AsyncClient) -> None:
        for _look in range(5):
            await watch.look()
            await watch.delivered()

    with webhook() as hook, server(folder) as app:
        watched(app, settings_for(hook, free_bytes=lambda _: next(free)), play)
    assert [message["alert"] for message in hook.got] == ["disk_low", "disk_low"]
    assert hook.got[0]["text"] == "The disk of run has 1.4 GB left; without space, answers cannot be stored."


def test_two_folders_on_two_disks_are_one_alert(folder: Path, tmp_path: Path) -> None:
    other = folder_of(two_groups(name="other"), tmp_path / "other")
    with webhook() as hook, server(folder, other) as app:
        watched(app, settings_for(hook, free_bytes=lambda path: 10**9 if path == other else PLENTY), looks_twice)
    assert [message["text"].partition(";")[0] for message in hook.got] == ["The disk of other has 1.0 GB left"]


def test_many_failed_requests_are_told(folder: Path) -> None:
    async def play(watch: AlertWatch, client: httpx.AsyncClient) -> None:
        for _request in range(18):
            await client.get("/healthz")
        await watch.look()
        app.state.server.close()
        for _request in range(2):
            await client.get("/readyz")
        await watch.look()

    with webhook() as hook, server(folder) as app:
        watched(app, settings_for(hook), play)
    assert [message["text"] for message in hook.got] == [
        "The server could not answer 2 of the last 20 requests; look at its log."
    ]


def test_a_full_study_is_told_and_not_again_after_a_restart(folder: Path) -> None:
    async def play(watch: AlertWatch, client: httpx.AsyncClient) -> None:
        for name in "ab":
            await watch.look()
            person = Person(client, "two-groups", PROLIFIC_PID=name)
            await person.start()
            await person.finish()
        await watch.look()

    with webhook() as hook, server(folder) as app:
        watched(app, settings_for(hook), play)
        watched(app, settings_for(hook), looks_twice)
    assert [(message["alert"], message["study"]) for message in hook.got] == [("quota_full", "two-groups")]


def with_outcomes(folder: Path, *groups: tuple[Ending, int]) -> None:
    """Store sessions that ended so, one after the other."""
    with open_log(folder / "events.sqlite") as log:
        outcomes = [outcome for outcome, n in groups for _ in range(n)]
        for number, outcome in enumerate(outcomes):
            name = f"s{number}"
            end = ended(name, outcome=outcome).model_copy(update={"at_ms": 9000 + number})
            log.append([started(name, study="two-groups", condition="shown"), end])


DROPOUTS: dict[str, tuple[list[tuple[Ending, int]], str | None]] = {
    "nobody to compare with, and many leave": (
        [("completed", 12), ("abandoned", 8)], "8 of the last 20 people left before the end.",
    ),
    "more than before": (
        [("completed", 30), ("withdrew", 6), ("completed", 14)],
        "6 of the last 20 people left before the end; before, it was 0 of 30.",
    ),
    "as many as before": ([("abandoned", 20), ("completed", 10), ("abandoned", 10)], None),
    "few people yet": ([("abandoned", 19)], None),
    "screened out, not left": ([("completed", 20), ("screened_out", 15), ("declined", 9)], None),
}  # fmt: skip


@pytest.mark.parametrize("case", DROPOUTS)
def test_a_jump_of_dropout_is_told(folder: Path, case: str) -> None:
    outcomes, said = DROPOUTS[case]
    with webhook() as hook, server(folder) as app:
        with_outcomes(folder, *outcomes)
        watched(app, settings_for(hook), looks_twice)
    told = [message["text"] for message in hook.got if message["alert"] == "dropout_jump"]
    assert told == ([] if said is None else [f"two-groups: {said}"])


def test_a_server_that_starts_tells_so(folder: Path) -> None:
    async def run(app: Starlette) -> None:
        async with app.router.lifespan_context(app):
            while not hook.got:
                await asyncio.sleep(0.001)

    with webhook() as hook, server(folder, settings=replace(GENEROUS, alerts=settings_for(hook))) as app:
        finished(run(app))
    assert [(message["alert"], message["text"]) for message in hook.got] == [
        ("server_started", "The server has started; 0 sessions are under way.")
    ]
    assert hook.got[0]["at_ms"] > 0


# Delivery


def test_a_receiver_that_fails_is_tried_again(folder: Path) -> None:
    async def play(watch: AlertWatch, _: httpx.AsyncClient) -> None:
        watch.tell("test", "Still here?")

    with webhook() as hook, server(folder) as app:
        hook.statuses = [500]
        watched(app, settings_for(hook), play)
    assert [message["text"] for message in hook.got] == ["Still here?"] * 2


def test_a_receiver_that_is_gone_is_given_up_and_noted(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def play(watch: AlertWatch, _: httpx.AsyncClient) -> None:
        watch.tell("test", "Anybody?")

    with webhook() as hook:
        pass
    with server(folder) as app:
        watched(app, settings_for(hook), play)
    assert "alert not delivered" in caplog.messages


def channel_to(text: str, smtp: str = "") -> Channel:
    return channels_from([text], {"UNDERSTUDY_SMTP": smtp})[0]


def test_an_alert_comes_as_a_letter() -> None:
    with mail_server() as post:
        channel_to("mailto:ada@example.org", post.url).send(TEST._replace(kind="disk_low", study="two-groups"))
    assert "Subject: understudy: disk low (two-groups)" in post.letters[0]
    assert post.letters[0].endswith("\r\nThis is a test.\r\n")
    assert [line for line in post.commands if line.startswith(("mail", "rcpt"))][-1] == "rcpt TO:<ada@example.org>"
    assert any(line.startswith("AUTH PLAIN") for line in post.commands)


@pytest.mark.parametrize(("status", "said"), [(404, "it answers with status 404"), (500, "it answers with status 500")])
def test_a_webhook_that_refuses_is_told(status: int, said: str) -> None:
    with webhook() as hook:
        hook.statuses = [status]
        with pytest.raises(NotDelivered, match=said):
            channel_to(hook.url).send(TEST)


def test_a_mail_server_that_refuses_or_is_absent_is_told() -> None:
    with mail_server(refuses="ada@") as post, pytest.raises(NotDelivered, match=r"the mail server 127.0.0.1 refuses"):
        channel_to("ada@example.org", post.url).send(TEST)
    with pytest.raises(NotDelivered, match=r"the mail server 127.0.0.1 cannot be reached"):
        channel_to("ada@example.org", post.url).send(TEST)


def test_a_webhook_is_shown_without_its_secret() -> None:
    assert channel_to("https://chat.example/hooks/s3cret").label == "the webhook at chat.example"


@pytest.mark.parametrize("receiver", ["ada", "ftp://example.org", "ada@localhost", "https://", "file:///etc/passwd"])
def test_what_is_no_receiver_is_refused(receiver: str, folder: Path) -> None:
    shown = understudy("serve", folder, "--alert", receiver)
    assert (shown.code, shown.err) == (
        2,
        f"--alert {receiver!r} is not a receiver; give the https:// address of a webhook, or an e-mail address.\n",
    )


def test_a_mail_server_that_is_none_is_refused() -> None:
    with pytest.raises(Exception, match="UNDERSTUDY_SMTP does not name a mail server; write smtp://"):
        channel_to("ada@example.org", "mail.example.org")
