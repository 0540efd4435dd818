"""The server keeps its own time: what a page claims counts only as far as it can be true."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.playing import Player, stage, study_of
from tests.serve.bots import forge_times, skip_looking
from tests.serve.stage_door import ADMIN_HEADERS, SECRET, Hands, Person, folder_of, page_events, played, server, typical
from tests.small_studies import two_groups
from understudy.actions.report import report_of
from understudy.actions.run_folder import existing_run
from understudy.record import open_log
from understudy.schema import ResponseGiven, SessionEnded, SessionExcluded, SessionFlagged, Study
from understudy.serve.access import Keyring

N_MS = 12
"""What each step of the bot really takes."""


def about_time(row: dict[str, Any]) -> list[str]:
    """Return what was noticed about the times of a session; everybody here answers always the same, which is noticed too."""
    return [warning for warning in row["warnings"] if not warning.startswith("Same answers")]


def judged_by_time() -> Study:
    """A study that excludes people who answer within a second."""
    return study_of(
        stage("predict"),
        measures=[
            {"name": "correct", "measure": "correct"},
            {"name": "seconds", "measure": "response_time", "summary": "median"},
        ],
        exclusions=[{"exclusion_id": "too_fast", "rule": "seconds < 1", "reason": "Too fast.", "pay_share": 0}],
        pay={"base": 2},
    )


def run(folder: Path, *, claimed_ms: float, real_ms: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Play one session and return how it ended and its row on the dashboard."""
    clock = Hands()

    async def play(client: httpx.AsyncClient) -> Any:
        ended = await forge_times(Person(client, "two-groups"), clock, claimed_ms=claimed_ms, real_ms=real_ms)
        listed = await client.get("/api/admin/studies/two-groups/sessions", headers=ADMIN_HEADERS)
        return ended, listed.json()["rows"][0]

    with server(folder, clock=clock) as app:
        found: tuple[dict[str, Any], dict[str, Any]] = played(app, play)
    return found


@pytest.mark.parametrize("claimed_ms", [3000, 1900], ids=["each beyond the tolerance", "each within it"])
def test_a_bot_that_claims_more_time_than_passed_is_judged_by_the_servers_clock(
    tmp_path: Path, claimed_ms: float
) -> None:
    ended, row = run(folder_of(judged_by_time(), tmp_path), claimed_ms=claimed_ms, real_ms=N_MS)
    assert (row["excluded_by"], ended["pay"]["base"]) == ("too_fast", 0.0)
    assert about_time(row) == [
        "The page claims more time than passed on the server; such times count only as far as they can be true."
    ]


def test_an_honest_person_is_neither_cut_nor_flagged(tmp_path: Path) -> None:
    folder = folder_of(judged_by_time(), tmp_path)
    ended, row = run(folder, claimed_ms=3000, real_ms=3050)
    assert (ended["pay"]["base"], about_time(row), row["excluded_by"]) == (2.0, [], None)


def test_an_answer_given_offline_and_sent_late_is_not_flagged(tmp_path: Path) -> None:
    _, row = run(folder_of(judged_by_time(), tmp_path), claimed_ms=2500, real_ms=600_000)
    assert about_time(row) == []


def test_minutes_follow_the_servers_clock(tmp_path: Path) -> None:
    _, row = run(folder_of(two_groups(), tmp_path), claimed_ms=900_000, real_ms=1000)
    assert row["minutes"] < 1


def test_the_log_keeps_the_claim_and_the_receipt(tmp_path: Path) -> None:
    run(folder_of(judged_by_time(), tmp_path), claimed_ms=3000, real_ms=N_MS)
    with open_log(tmp_path / "events.sqlite") as log:
        (events,) = log.sessions()
    answers = [event for event in events if isinstance(event, ResponseGiven)]
    assert {event.rt_ms for event in answers} == {3000}
    assert [b.received_ms - a.received_ms for a, b in pairwise(answers)] == [N_MS] * (len(answers) - 1)  # type: ignore[operator]  # fmt: skip
    assert sum(isinstance(event, SessionFlagged) for event in events) == 1
    end = next(event for event in events if isinstance(event, SessionEnded))
    assert end.at_ms == answers[-1].received_ms


def test_a_session_rebuilt_from_its_log_is_judged_the_same(tmp_path: Path) -> None:
    folder = folder_of(judged_by_time(), tmp_path)
    run(folder, claimed_ms=3000, real_ms=N_MS)
    with open_log(folder / "events.sqlite") as log:
        (events,) = log.sessions()
    kinds = [type(event) for event in events]
    with server(folder) as app:
        running = app.state.server.studies["two-groups"]
        live, missing = type(running.preview()).from_events(running.script, events)
    assert missing == ()
    assert [type(event) for event in live.session.events].count(SessionExcluded) == kinds.count(SessionExcluded) == 1


def test_a_session_of_an_earlier_version_goes_on_under_new_names(tmp_path: Path) -> None:
    """Its log has no receipts, and its page knew the names of the study."""
    folder = folder_of(judged_by_time(), tmp_path / "run")
    player = Player(existing_run(folder).script).until("predict")
    player.answer(seconds=3)
    began = player.log[0].model_copy(update={"participant_kind": "person"})
    with open_log(folder / "events.sqlite") as log:
        log.append([began, *player.log[1:]])

    async def play(client: httpx.AsyncClient) -> tuple[dict[str, Any], bytes]:
        person = Person(client, "two-groups")
        client.cookies["understudy_two-groups"] = Keyring(SECRET).token_of(began.session_id)
        await person.start()
        return await person.finish(), b"".join(person.seen)

    clock = Hands()
    with server(folder, clock=clock) as app:
        ended, seen = played(app, play)
    assert (ended["outcome"], b"predict" in seen) == ("completed", False)
    results = report_of(existing_run(folder), tmp_path / "report.html")
    assert results.findings.flow.n_recruited == 1


def test_a_timed_stage_ends_by_the_servers_clock(tmp_path: Path) -> None:
    """A page whose clock stands still gets no more trials than others."""
    ended, _ = run(folder_of(study_of(stage("predict", minutes=0.1)), tmp_path), claimed_ms=0, real_ms=4000)
    with open_log(tmp_path / "events.sqlite") as log:
        (events,) = log.sessions()
    answered = [event for event in events if isinstance(event, ResponseGiven) and event.trial_id.startswith("predict")]
    assert (ended["outcome"], len(answered)) == ("completed", 3)


def test_an_answer_to_a_step_that_was_never_shown_is_refused(tmp_path: Path) -> None:
    async def play(client: httpx.AsyncClient) -> Any:
        return await skip_looking(Person(client, "two-groups"))

    with server(folder_of(two_groups(), tmp_path)) as app:
        got = played(app, play)
    assert (got.status_code, got.json()["error"]) == (
        422,
        "Step 0 was answered before it was shown; send trial_shown first.",
    )


@pytest.mark.parametrize(
    "change",
    [{"at_ms": -1}, {"at_ms": 2**52}, {"rt_ms": 1000.0, "active_ms": 4000.0}, {"received_ms": 1_700_000_000_000}],
    ids=str,
)
def test_impossible_times_are_refused(tmp_path: Path, change: dict[str, Any]) -> None:
    async def play(client: httpx.AsyncClient) -> int:
        person = Person(client, "two-groups")
        await person.start()
        events = page_events(person.state, typical(person.state["step"]["trial"]))
        return (await person.send([*events[:2], {**events[2], **change}])).status_code

    with server(folder_of(two_groups(), tmp_path)) as app:
        assert played(app, play) == 422
