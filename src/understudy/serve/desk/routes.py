"""Routes of the desk: studies, sessions, what researchers do, the monitor and previews."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, TypedDict
from urllib.parse import quote

from pydantic import TypeAdapter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from understudy.errors import UnderstudyError
from understudy.record import SessionSummary, look_mark
from understudy.schema import AnnotationGiven, Event, ResponseGiven, Sequential, SessionExcluded, SessionStarted
from understudy.schema.log_entries import DeskAction
from understudy.schema.wire import (
    DepositPage,
    Done,
    Monitoring,
    Permission,
    SessionPage,
    SessionRecord,
    StepState,
    StudyCounts,
)
from understudy.serve.access import WaysBack
from understudy.serve.desk.counts import Search, labels_at_desk, row_with_facts, session_row, study_counts
from understudy.serve.desk.monitor_view import actor_of_rule, monitoring_of, reached_now, rule_states
from understudy.serve.desk.overview import warnings_in
from understudy.serve.desk.report_page import make_file, report_response
from understudy.serve.desk.researchers import Actor
from understudy.serve.desk.sign_in import actor_of, audit_page, note_in, require
from understudy.serve.live_session import Live, opening
from understudy.serve.participant_routes import copy_of, copy_response
from understudy.serve.platform import pause_platform
from understudy.serve.previews import Preview, is_given
from understudy.serve.server import server_state_of
from understudy.serve.site_routes import require_this_machine
from understudy.serve.study import RunningStudy
from understudy.serve.wire import (
    Link,
    Refusal,
    flag_from,
    not_found,
    notice_page,
    object_of,
    text_from,
    unacceptable,
    written,
)

# Routes for researchers who look: counts, sessions, replay, report and export.

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


async def first_page(request: Request) -> Response:
    """Lead to the preview of the first study."""
    name = next(iter(server_state_of(request).studies))
    return RedirectResponse(f"/preview/{name}", status_code=303)


async def preview_page(request: Request) -> Response:
    """Serve the page that shows a preview; researchers who are not signed in are led to the form."""
    server_state = server_state_of(request)
    if request.path_params["study_name"] not in server_state.studies:
        return not_found()
    if not server_state.settings.is_preview and await actor_of(request, server_state) is None:
        return RedirectResponse("/admin", status_code=303)
    page = await server_state.web.response("preview.html", request, cache="no-cache")
    return page or notice_page(503, "Not ready yet", "The front end is not built. If you run this server: make web.")


async def contents(request: Request) -> Response:
    """List conditions, parts and pages."""
    return json_reply(written((await _previewed(request)).contents))


async def page(request: Request) -> Response:
    """Write one page of one condition, as the session meets it."""
    preview = await _previewed(request)
    query = request.query_params
    number = count_in(query.get("page"), 1)
    return json_reply(
        await asyncio.to_thread(preview.page, query.get("condition", ""), number, query.get("trial") or None)
    )


async def _previewed(request: Request) -> Preview:
    server_state = server_state_of(request)
    if server_state.settings.is_preview:
        require_this_machine(request, "The preview is open only to the machine it runs on.")
    else:
        await require(request)
    running = server_state.study(request)
    async with server_state.previewing:
        if running.name not in server_state.previews:
            server_state.previews[running.name] = await asyncio.to_thread(_made, running)
    return server_state.previews[running.name]


def _made(running: RunningStudy) -> Preview:
    if running.served.walks is None:
        raise Refusal(404, "This server has no preview; run understudy preview.")
    return Preview(running.script, running.public, running.served.walks())


# Routes for researchers who act: exclude, label, pause recruitment; each act is entered with its author.

_SMALL = 4096


class DeskNumber(TypedDict):
    """What all events of the desk's stream hold."""

    session_id: str
    stream: Literal["desk"]
    seq: int
    at_ms: int


async def at_desk(running: RunningStudy, session_id: str) -> DeskNumber:
    """Return the place of the next event of the desk; call it with the session locked."""
    seq = await asyncio.to_thread(running.served.log.last_seq, session_id, "desk") + 1
    return {"session_id": session_id, "stream": "desk", "seq": seq, "at_ms": running.now_ms()}


async def _at_session(request: Request, permission: Permission) -> tuple[Actor, RunningStudy, str]:
    """Return who acts, and on which session of which study."""
    server_state, actor = await require(request, permission)
    running = server_state.study(request)
    return actor, running, known_session(running, request)


async def exclude(request: Request) -> Response:
    """Take a session out of the sample, with a reason."""
    actor, running, session_id = await _at_session(request, "exclude")
    reason = text_from(await object_of(request, _SMALL, frozenset({"reason"})), "reason").strip()
    if not reason:
        raise unacceptable("Give a reason; it is shown in the participant flow of the report.")
    async with running.opened(session_id) as live:
        if live.session.excluded_by is not None:
            raise Refusal(409, f"The session is excluded already, by {live.session.excluded_by!r}.")
        excluded = SessionExcluded(
            **await at_desk(running, session_id), exclusion_id="desk", reason=reason, actor=actor.name
        )
        await running.take_from_desk(live, excluded)
    await note_in(running, actor.name, "session_excluded", session_id)
    return json_reply(written(Done()))


async def label(request: Request) -> Response:
    """Store what a researcher says about a session or one of its answers; a later label replaces an earlier one."""
    actor, running, session_id = await _at_session(request, "label")
    plain = await object_of(request, _SMALL, frozenset({"about", "label"}))
    about, text = text_from(plain, "about").strip(), text_from(plain, "label").strip()
    if not about or not text:
        raise unacceptable("A label needs two texts: what it is about, and the label itself.")
    async with running.opened(session_id) as live:
        given = AnnotationGiven(
            **await at_desk(running, session_id), trial_id=live.answered_trial(about), question_id=about,
            annotator=actor.name, code=text,
        )  # fmt: skip
        await running.take_from_desk(live, given)
    await note_in(running, actor.name, "session_labelled", session_id)
    return json_reply(written(Done()))


async def copy(request: Request) -> Response:
    """Return everything that is stored about the person of a session, for this person."""
    actor, running, session_id = await _at_session(request, "export")
    async with running.opened(session_id) as live:
        content = await asyncio.to_thread(copy_of, running, live, for_researchers=True)
    await note_in(running, actor.name, "data_copied", session_id)
    return copy_response(content)


async def erase(request: Request) -> Response:
    """Erase the person of a session at their request, as if they had done it themselves."""
    actor, running, session_id = await _at_session(request, "exclude")
    if not flag_from(await object_of(request, _SMALL, frozenset({"erase"})), "erase"):
        raise unacceptable('Send {"erase": true}; it cannot be undone.')
    async with running.opened(session_id) as live:
        if live.session.outcome is None:
            await running.end(live, "withdrew", "Erased by a researcher at the person's request.")
        await running.erase(session_id, live.participant_id)
    await note_in(running, actor.name, "data_erased")
    return json_reply(written(Done()))


async def recruitment(request: Request) -> Response:
    """Pause or resume recruitment: people who have begun can finish, and nobody new can start meanwhile."""
    server_state, actor = await require(request, "recruit")
    running = server_state.study(request)
    is_paused = flag_from(await object_of(request, _SMALL, frozenset({"is_paused"})), "is_paused")
    if is_paused != await asyncio.to_thread(running.served.log.is_paused, running.study.name):
        await note_in(running, actor.name, "recruitment_paused" if is_paused else "recruitment_resumed")
    running.recruitment.ask_again()
    return json_reply(written(Done()))


async def deposits(request: Request) -> Response:
    """List the result files that were set aside, and why."""
    server_state, _ = await require(request, "exclude")
    waiting = server_state.study(request).served.deposits
    found = () if waiting is None else await asyncio.to_thread(waiting.waiting, server_state.keyring)
    return json_reply(written(DepositPage(deposits=found)))


async def decide_deposit(request: Request) -> Response:
    """Take a result file that was set aside into the study, or delete it."""
    server_state, actor = await require(request, "exclude")
    running = server_state.study(request)
    plain = await object_of(request, _SMALL, frozenset({"name", "is_taken"}))
    name, is_taken, waiting = text_from(plain, "name"), flag_from(plain, "is_taken"), running.served.deposits
    if waiting is None:
        raise Refusal(404, "This study collects no result files.")
    try:
        await asyncio.to_thread(waiting.decide, server_state.keyring, name, is_taken=is_taken)
    except UnderstudyError as error:
        raise Refusal(409, str(error)) from None
    finally:
        # Whatever was decided, others may have become free to take.
        await running.count_collected()
    await note_in(running, actor.name, "deposit_taken" if is_taken else "deposit_deleted", name.partition(".")[0])
    return json_reply(written(Done()))


async def audit(request: Request) -> Response:
    """Return what researchers did last."""
    server_state, _ = await require(request, "audit")
    running = server_state.study(request)
    return json_reply(written(await asyncio.to_thread(audit_page, running)))


# Routes of monitoring: the numbers of a live study, and the request for the names of its conditions.

_PAUSE_S = 0.05


async def monitoring(request: Request) -> Response:
    """Return where people leave, what it costs and what the stop rules say."""
    server_state, _ = await require(request)
    return json_reply(written(await asyncio.to_thread(_looked, server_state.study(request))))


async def unblind(request: Request) -> Response:
    """Name the conditions from now on, and enter who asked for it and why."""
    server_state, actor = await require(request, "recruit")
    running = server_state.study(request)
    reason = text_from(await object_of(request, _SMALL, frozenset({"reason"})), "reason").strip()
    if not reason:
        raise unacceptable("Give a reason; the report lists it.")
    entry = DeskAction(
        at_ms=running.now_ms(), study_name=running.study.name, actor=actor.name, action="unblinded", reason=reason
    )
    await asyncio.to_thread(running.served.log.enter_desk_action, entry)
    return json_reply(written(Done()))


async def obey_stop_rules(running: RunningStudy) -> None:
    """Pause recruitment where a stop rule of the plan is reached for the first time; keep watched numbers up to date."""
    if not running.study.plan.stop_rules and not running.monitor.is_watched:
        return
    while not await asyncio.to_thread(running.monitor.advance):
        # Participants come first: after a restart, the log is taken in piece by piece.
        await asyncio.sleep(_PAUSE_S)
    await asyncio.to_thread(_pause_at_limits, running)
    running.recruitment.ask_again()
    await pause_platform(running)


async def record_looks(running: RunningStudy) -> None:
    """Enter who belongs to a look of a sequential study as soon as it is reached.

    Where codes of annotators or the answers of people who left decide who counts, the first report enters it.
    """
    plan = running.study.plan
    if plan.sequential is not None and plan.partial_sessions == "left_out" and not running.study.annotation:
        await asyncio.to_thread(_record_looks, running, plan.sequential)


def _record_looks(running: RunningStudy, sequential: Sequential) -> None:
    log, name = running.served.log, running.study.name
    looks = log.looks(name)
    if len(looks) == len(sequential.looks):
        return
    counted = [
        summary.session_id
        for summary in log.summaries(name)
        if summary.outcome == "completed"
        and summary.excluded_by is None
        and summary.study_digest == running.served.script.digest
    ]
    while len(looks) < len(sequential.looks) and len(counted) >= sequential.looks[len(looks)]:
        before = looks[-1].marks if looks else frozenset[str]()
        members = sorted(counted, key=lambda session_id: look_mark(session_id) not in before)
        log.enter_look(name, len(looks) + 1, members[: sequential.looks[len(looks)]])
        looks = log.looks(name)


def _pause_at_limits(running: RunningStudy) -> None:
    log, name = running.served.log, running.study.name
    kind = "person" if "person" in running.kinds else "synthetic"
    for state in reached_now(rule_states(running.monitor, kind), log.steering(name)):
        log.enter_desk_action(
            DeskAction(
                at_ms=running.now_ms(), study_name=name, actor=actor_of_rule(state.rule_id),
                action="recruitment_paused", reason=f"Paused because {state.limit}.",
            )
        )  # fmt: skip


def _looked(running: RunningStudy) -> Monitoring:
    running.monitor.advance()
    log, name = running.served.log, running.study.name
    return monitoring_of(running.monitor, log.steering(name), is_paused=log.is_paused(name))
