"""Audit: enters what researchers do into the logs, and reads it back."""

import asyncio

from understudy.record import session_hash
from understudy.schema.desk_action import DeskAction, DeskDeed
from understudy.schema.wire import AuditEntry, AuditPage
from understudy.serve.running import RunningStudy
from understudy.serve.server_state import ServerState


async def note(server_state: ServerState, actor: str, action: DeskDeed) -> None:
    """Enter something that concerns the whole server, into every log."""
    entry = DeskAction(at_ms=server_state.now_ms(), study_name="", actor=actor, action=action)
    for log in {running.served.log for running in server_state.studies.values()}:
        await asyncio.to_thread(log.enter_desk_action, entry)


async def note_in(running: RunningStudy, actor: str, action: DeskDeed, session_id: str | None = None) -> None:
    """Enter something that concerns one study, or one session of it."""
    marked = None if session_id is None else session_hash(session_id)
    entry = DeskAction(
        at_ms=running.now_ms(), study_name=running.study.name, actor=actor, action=action, session_hash=marked
    )
    await asyncio.to_thread(running.served.log.enter_desk_action, entry)


def audit_page(running: RunningStudy) -> AuditPage:
    """Return what researchers did last; called in a thread."""
    log, name = running.served.log, running.study.name
    actions = log.desk_actions(name)
    wanted = {action.session_hash for action in actions if action.session_hash is not None}
    sessions = {session_hash(summary.session_id): summary for summary in log.summaries(name)} if wanted else {}
    found = [(action, sessions.get(action.session_hash or "")) for action in actions]
    return AuditPage(
        entries=tuple(
            AuditEntry(
                at_ms=action.at_ms,
                actor=action.actor,
                action=action.action,
                session_id=summary.session_id if summary else None,
                arrival=summary.assignment.arrival if summary else None,
            )
            for action, summary in found
        )
    )
