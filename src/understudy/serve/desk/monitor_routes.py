"""Routes of monitoring: the numbers of a live study, and the request for the names of its conditions."""

import asyncio

from starlette.requests import Request
from starlette.responses import Response

from understudy.record import look_mark
from understudy.schema import Sequential
from understudy.schema.desk_action import DeskAction
from understudy.schema.wire import Done, Monitoring
from understudy.serve.desk.admin_api import json_reply
from understudy.serve.desk.admin_login import require
from understudy.serve.monitor import monitoring_of
from understudy.serve.monitor.stopping import actor_of_rule, reached_now, rule_states
from understudy.serve.people.platform_pause import pause_platform
from understudy.serve.refusals import unacceptable
from understudy.serve.running import RunningStudy
from understudy.serve.wire.messages import object_of, text_from
from understudy.serve.wire.written import written

_SMALL = 4096
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
