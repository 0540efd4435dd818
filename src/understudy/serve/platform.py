"""News from the recruiting platform: places that become free, and pauses there."""

import asyncio
import logging
from collections import deque
from collections.abc import Callable

from starlette.requests import Request
from starlette.responses import Response

from understudy.errors import RecruiterError
from understudy.record import StaleSession
from understudy.recruiters.platform import SubmissionStatus
from understudy.recruiters.prolific import EVENT_ID, require_genuine, submission_in
from understudy.schema import Ending
from understudy.schema.log_entries import DeskAction
from understudy.serve.access import Keyring
from understudy.serve.desk.monitor_view import rule_to_pass_on
from understudy.serve.sessions import ErasedSession
from understudy.serve.settings import Platform, PlatformPerson
from understudy.serve.study import RunningStudy
from understudy.serve.wire import Refusal, body_of

logger = logging.getLogger("understudy.serve")
_SMALL = 64 * 1024
_N_REMEMBERED = 10_000
_GONE: dict[SubmissionStatus, tuple[Ending, str]] = {
    "returned": ("withdrew", "Returned the study at the recruiter."),
    "timed_out": ("abandoned", "Ran out of time at the recruiter."),
}


class PlatformNews:
    """Hears of one study's people by messages, and asks for all of them now and then, since messages get lost."""

    def __init__(
        self,
        running: RunningStudy,
        platform: Platform,
        keyring: Keyring,
        *,
        seconds: Callable[[], float],
        poll_s: float,
    ) -> None:
        self._running, self._platform, self._keyring = running, platform, keyring
        self._seconds, self._poll_s = seconds, poll_s
        self._polled_s: float | None = None
        self._heard: deque[str] = deque(maxlen=_N_REMEMBERED)

    async def hear(self, request: Request) -> Response:
        """Take one message. What it says about a status is not believed: messages come late and in any order."""
        body = await body_of(request, _SMALL)
        if not self._platform.webhook_secret:
            raise Refusal(404, "This server expects no messages; set them up with: understudy recruit webhook")
        try:
            require_genuine(self._platform.webhook_secret, request.headers, body, self._running.now_ms() / 1000)
            submission_id = submission_in(body)
        except RecruiterError as error:
            raise Refusal(403, str(error)) from None
        event_id = request.headers.get(EVENT_ID, "")
        if submission_id is not None and event_id not in self._heard:
            try:
                person = await asyncio.to_thread(self._platform.person, submission_id)
            except RecruiterError:
                # Answered with a fault, so that the platform sends it again.
                raise Refusal(503, "The platform cannot be asked about this just now; please send it again.") from None
            if person is not None:
                await self._apply(person)
            self._heard.append(event_id)
        return Response(status_code=204)

    async def poll(self) -> None:
        """Ask about everybody, unless that was done a moment ago."""
        if self._polled_s is not None and self._seconds() - self._polled_s < self._poll_s:
            return
        self._polled_s = self._seconds()
        try:
            people = await asyncio.to_thread(self._platform.people)
        except RecruiterError as error:
            logger.warning("platform not reached", extra={"fields": {"kind": type(error).__name__}})
            return
        for person in people:
            await self._apply(person)

    async def _apply(self, person: PlatformPerson) -> None:
        ending = _GONE.get(person.status)
        if ending is None:
            return
        session_id = await self._running.session_of(self._keyring.participant_id(person.recruiter_id))
        if session_id is None:
            return
        try:
            async with self._running.opened(session_id) as live:
                # Somebody who has finished here did the work, whatever the platform says.
                if live.session.outcome is None:
                    await self._running.end(live, *ending)
        except (ErasedSession, StaleSession):
            return


async def webhook(request: Request) -> Response:
    """Take a message from the platform of a study."""
    server_state = request.app.state.server
    news: PlatformNews | None = server_state.news.get(request.path_params["study_name"])
    if news is None:
        raise Refusal(404, "There is no study here that hears from a platform; check the address.")
    return await news.hear(request)


# Pauses a study at its platform after a stop rule has paused it here, so that nobody is sent to a closed door.


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
