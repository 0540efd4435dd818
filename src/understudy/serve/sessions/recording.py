"""Recording: read a chunk of a voice recording strictly, and find its place in the session."""

import hashlib
from collections.abc import Mapping
from typing import Literal, NamedTuple

from starlette.requests import Request

from understudy.schema import RecordingStored
from understudy.schema.wire import RefusalReply
from understudy.serve.refusals import Refusal, unacceptable
from understudy.serve.sessions.live import Live
from understudy.serve.wire.messages import LARGEST, bytes_of

_MEDIA: Mapping[str, Literal["webm", "mp4"]] = {"audio/webm": "webm", "audio/mp4": "mp4"}
_MOST_CHUNKS = 100_000


class AudioChunk(NamedTuple):
    """One chunk as a page sends it."""

    block_id: str
    started_ms: int
    chunk: int
    media: Literal["webm", "mp4"]
    content: bytes


async def audio_chunk_from(request: Request, limit: int) -> AudioChunk:
    """Read a chunk and where it belongs; refuse what is not audio, or too long."""
    # A form on another site can send neither type; it could send others, and the browser would attach our cookie.
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in _MEDIA:
        raise Refusal(415, "Send a recording as audio/webm or audio/mp4.")
    asked = request.query_params
    started_ms, chunk = (_count(asked.get(name, ""), name) for name in ("started_ms", "chunk"))
    if not 1 <= chunk <= _MOST_CHUNKS:
        raise unacceptable(f"'chunk' counts from 1 to {_MOST_CHUNKS}.")
    too_long = f"A chunk of a recording holds at most {limit // 1024} kB; send shorter ones."
    content = await bytes_of(request, limit, too_long)
    if not content:
        raise unacceptable("The chunk is empty; send the bytes of the recording as the body.")
    audio = AudioChunk(asked.get("block", ""), started_ms, chunk, _MEDIA[kind], content)
    if chunk == 1 and not _has_header(audio):
        raise unacceptable(f"The first chunk does not begin as {kind} does; send what the recorder made, unchanged.")
    return audio


def recording_event(live: Live, audio: AudioChunk, *, at_ms: int, limit: int) -> RecordingStored | None:
    """Return the event for a chunk, None if it is stored already; refuse a chunk that does not fit."""
    if audio.block_id not in live.recorded_blocks:
        raise Refusal(403, "This session did not agree to be recorded here, so nothing was stored.")
    digest = hashlib.sha256(audio.content).hexdigest()
    earlier = [stored for stored in live.recordings if stored.started_ms == audio.started_ms]
    known = next((stored for stored in earlier if stored.chunk == audio.chunk), None)
    if known is not None and known.sha256 == digest:
        return None
    if known is not None or audio.chunk != len(earlier) + 1:
        raise Refusal(
            409, f"The next chunk of this recording has number {len(earlier) + 1}; nothing stored is ever changed.",
            more=RefusalReply(expected_chunk=len(earlier) + 1),
        )  # fmt: skip
    if any((stored.block_id, stored.media) != (audio.block_id, audio.media) for stored in earlier):
        raise unacceptable("A recording stays in one block and of one type; begin another with its own started_ms.")
    if sum(stored.n_bytes for stored in live.recordings) + len(audio.content) > limit:
        raise Refusal(
            413,
            f"The recordings of this session have reached {limit // 1024**2} MB; the study continues without a recording.",
        )
    part = earlier[0].part if earlier else max((stored.part for stored in live.recordings), default=0) + 1
    return RecordingStored(
        session_id=live.session.session_id, seq=len(live.recordings) + 1, at_ms=at_ms, block_id=audio.block_id,
        part=part, chunk=audio.chunk, started_ms=audio.started_ms, media=audio.media, n_bytes=len(audio.content),
        sha256=digest,
    )  # fmt: skip


def _has_header(audio: AudioChunk) -> bool:
    # A recorder may send its first byte alone, so a short beginning is compared with as much of the header.
    head = audio.content[:8]
    if audio.media == "webm":
        return b"\x1a\x45\xdf\xa3".startswith(head[:4])
    return b"ftyp".startswith(head[4:])


def _count(text: str, name: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) <= 16 and int(text) < LARGEST):
        raise unacceptable(f"{name!r} is a whole number from 0.")
    return int(text)
