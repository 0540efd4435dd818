"""Route for recordings: chunks are stored; see annotation_api.py for the only people who may hear them."""

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from understudy.serve.participant_api import whose
from understudy.serve.refusals import Refusal
from understudy.serve.sessions.recording import audio_chunk_from

_WITHDRAWN = frozenset({"withdrew", "declined"})


async def recordings(request: Request) -> Response:
    """Store a chunk, and answer when it is on the disk and named in the log."""
    holder = await whose(request)
    server_state, running, session_id = holder.server_state, holder.running, holder.session_id
    audio = await audio_chunk_from(request, server_state.settings.chunk_limit)
    if running.is_erased(session_id):
        raise Refusal(410, "The session was erased, so its recording ends here.")
    async with running.opened(session_id) as live:
        await holder.require_open(live)
        # The last chunk may arrive after a session is completed; nothing more is stored of people who withdrew.
        if live.session.outcome in _WITHDRAWN:
            raise Refusal(410, "The session has ended, so its recording ends here.")
        audio = audio._replace(block_id=live.names.block_of(audio.block_id))
        await running.record(live, audio, server_state.settings.recording_limit)
    return JSONResponse({"stored_chunk": audio.chunk}, headers={"Cache-Control": "no-store"})
