"""The door for recordings: chunks of somebody's voice come in, and none ever goes out."""

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from understudy.serve.participant_api import whose
from understudy.serve.recording import heard_from
from understudy.serve.refusals import Refusal

_TAKEN_BACK = frozenset({"withdrew", "declined"})


async def recordings(request: Request) -> Response:
    """Store a chunk, and answer when it is on the disk and named in the log."""
    hall, running, session_id = whose(request)
    heard = await heard_from(request, hall.settings.chunk_limit)
    if running.is_erased(session_id):
        raise Refusal(410, "The session was erased, so its recording ends here.")
    async with running.opened(session_id) as live:
        # The last words of somebody who has finished may still be under way; those of somebody who left are not kept.
        if live.session.outcome in _TAKEN_BACK:
            raise Refusal(410, "The session has ended, so its recording ends here.")
        await running.record(live, heard, hall.settings.recording_limit)
    return JSONResponse({"stored_chunk": heard.chunk}, headers={"Cache-Control": "no-store"})
