"""Pauses a study at its platform after a stop rule has paused it here, so that nobody is sent to a closed door."""

import asyncio
import logging

from understudy.errors import RecruiterError
from understudy.schema.desk_action import DeskAction
from understudy.serve.monitor.stopping import rule_to_pass_on
from understudy.serve.running import RunningStudy

logger = logging.getLogger("understudy.serve")


async def pause_platform(running: RunningStudy) -> None:
    """Pause the study at its platform if a rule has paused it here and the platform does not know; tried at every look."""
    platform, log, name = running.served.platform, running.served.log, running.study.name
    # Simulated people come from nowhere.
    if platform is None or "person" not in running.kinds:
        return
    actor = rule_to_pass_on(await asyncio.to_thread(log.steering, name))
    if actor is None:
        return
    try:
        await asyncio.to_thread(platform.pause)
    except RecruiterError as error:
        logger.warning("platform not paused", extra={"fields": {"kind": type(error).__name__}})
        return
    entry = DeskAction(at_ms=running.now_ms(), study_name=name, actor=actor, action="platform_paused")
    await asyncio.to_thread(log.enter_desk_action, entry)
