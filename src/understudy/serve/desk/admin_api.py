"""Routes for researchers who look: counts, sessions, replay, report and export."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from urllib.parse import quote

from pydantic import TypeAdapter
from starlette.requests import Request
from starlette.responses import Response

from understudy.record import SessionSummary
from understudy.schema import Event, ResponseGiven, SessionStarted
from understudy.schema.wire import SessionPage, SessionRecord, StepState, StudyCounts
from understudy.serve.desk.admin_login import require
from understudy.serve.desk.audit import note_in
from understudy.serve.desk.counts import labels_at_desk, row_with_facts, session_row, study_counts
from understudy.serve.desk.report_page import make_file, report_response
from understudy.serve.desk.search import Search
from understudy.serve.desk.session_facts import warnings_in
from understudy.serve.pages import Link
from understudy.serve.people.ways_back import WaysBack
from understudy.serve.previews.preview import is_given
from understudy.serve.refusals import Refusal, unacceptable
from understudy.serve.running import RunningStudy
from understudy.serve.sessions.live import Live, opening
from understudy.serve.wire.written import written

_MOST_ROWS = 500
_COUNTS = TypeAdapter(list[StudyCounts])


async def studies(request: Request) -> Response:
    """List the studies with their live counts."""
    server_state, _ = await require(request)
    counted = [await asyncio.to_thread(study_counts, running) for running in server_state.studies.values()]
    return json_reply(_COUNTS.dump_json(counted))


async def sessions(request: Request) -> Response:
    """List sessions, filtered and page by page."""
    server_state, _ = await require(request)
    running = server_state.study(request)
    query = request.query_params
    offset, limit = count_in(query.get("offset"), 0), min(count_in(query.get("limit"), 100), _MOST_ROWS)
    known = await asyncio.to_thread(running.overview.refreshed)
    back = running.public.ways_back or WaysBack(running.study, server_state.keyring)
    search = Search(query.get("q", ""), server_state.keyring, back.code)
    labels = await asyncio.to_thread(labels_at_desk, running)
    asked = dict(query)
    if label := query.get("condition"):
        # A blinded study is asked by its letters only; any other text fits nobody.
        asked["condition"] = next((name for name, shown in labels.items() if shown == label), "\0")
    wanted = [summary for summary in _filtered(known.summaries, asked) if search.fits(summary)]
    shown = wanted[offset : offset + limit]
    facts = await asyncio.to_thread(lambda: [running.facts.of(summary) for summary in shown])
    copies = await asyncio.to_thread(running.facts.copies_of, known.summaries)
    # Only the rows of this page are made: a code takes a keyed hash each, and facts read all events of a session.
    rows = [
        row_with_facts(
            session_row(
                summary,
                back.code(summary.session_id, summary.outcome),
                known.flags.get(summary.session_id, ()),
            ),
            told,
            running.facts,
            labels.get(summary.condition, summary.condition),
            copies.get(summary.session_id, ()),
        )
        for summary, told in zip(shown, facts, strict=True)
    ]
    return json_reply(written(SessionPage(total=len(wanted), rows=tuple(rows), now_ms=running.now_ms())))


async def session(request: Request) -> Response:
    """Return all events of one session, for the replay."""
    server_state, actor = await require(request)
    running = server_state.study(request)
    session_id = known_session(running, request)
    if server_state.opened_limit.allows(f"{actor.name} {session_id}"):
        await note_in(running, actor.name, "session_opened", session_id)
    stored = await asyncio.to_thread(running.served.log.session, session_id)
    steps = await asyncio.to_thread(_steps, running, stored)
    return json_reply(written(SessionRecord.model_construct(events=stored, steps=steps, warnings=warnings_in(stored))))


async def report(request: Request) -> Response:
    """Make the report of the sessions so far."""
    server_state, actor = await require(request)
    running = server_state.study(request)
    await note_in(running, actor.name, "report_opened")
    return await report_response(running, request, Link(f"/admin#/{quote(running.name)}", "Back to the dashboard"))


async def export(request: Request) -> Response:
    """Make the archive of the sessions so far."""
    server_state, actor = await require(request, "export")
    running = server_state.study(request)
    archive = await make_file(running, running.served.export, "export")
    await note_in(running, actor.name, "export_downloaded")
    headers = {"Cache-Control": "no-store", "Content-Disposition": f'attachment; filename="{running.name}.zip"'}
    return Response(archive, headers=headers, media_type="application/zip")


def _steps(running: RunningStudy, events: tuple[Event, ...]) -> tuple[StepState, ...]:
    """Return each step as it was shown, so that the replay draws the participant's own screens."""
    started = events[0]
    if not isinstance(started, SessionStarted):
        return ()
    # A separate session in memory: the replay must not touch the one that a participant may be using.
    live: Live = opening(running.script, started)
    steps = [live.step(running.public, with_saved=False)]
    for event in events[1:]:
        if not is_given(event):
            continue
        live.take(event)
        if isinstance(event, ResponseGiven):
            steps.append(live.step(running.public, with_saved=False))
    return tuple(step for step in steps if step is not None)


def known_session(running: RunningStudy, request: Request) -> str:
    """Return the session that an address names."""
    session_id = str(request.path_params["session_id"])
    if session_id not in running.session_ids:
        raise Refusal(404, "There is no such session in this study.")
    return session_id


def _filtered(summaries: Sequence[SessionSummary], query: Mapping[str, str]) -> Sequence[SessionSummary]:
    """Return the sessions that pass the filters, one after the other: each looks only at what the last one left."""
    for name, shown in _SHOWN.items():
        if wanted := query.get(name):
            summaries = [summary for summary in summaries if shown(summary) == wanted]
    return summaries


def _outcome(summary: SessionSummary) -> str:
    """Return how a session ended; an excluded one counts as excluded, however it ended."""
    return "excluded" if summary.excluded_by is not None else summary.outcome or "active"


_SHOWN: dict[str, Callable[[SessionSummary], str]] = {
    "kind": lambda summary: summary.participant_kind,
    "condition": lambda summary: summary.condition,
    "outcome": _outcome,
}


def count_in(text: str | None, default: int) -> int:
    """Return the whole number in a parameter of an address."""
    if text is None:
        return default
    if not text.isascii() or not text.isdecimal() or len(text) > 9:
        raise unacceptable(f"{text!r} is not a whole number.")
    return int(text)


def json_reply(body: bytes) -> Response:
    """Return JSON that nobody caches."""
    return Response(body, headers={"Cache-Control": "no-store"}, media_type="application/json")
