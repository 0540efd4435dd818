"""Recordings: files beside the log, each the chunks that the log names, in their order."""

import hashlib
import os
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from understudy.errors import LogError
from understudy.schema import Event, RecordingStored


class RecordedPart(NamedTuple):
    """One file of a session: the voice from one start to the next pause, reload or end of a block."""

    session_id: str
    name: str
    """The file, under the folder of its session."""
    chunks: tuple[RecordingStored, ...]

    @property
    def n_bytes(self) -> int:
        """How long the file is, as the log has it."""
        return sum(chunk.n_bytes for chunk in self.chunks)


def parts_in(events: Iterable[Event]) -> tuple[RecordedPart, ...]:
    """Return the files that the events of one session name, in the order of their beginning."""
    chunks: dict[int, list[RecordingStored]] = {}
    for event in events:
        if isinstance(event, RecordingStored):
            chunks.setdefault(event.part, []).append(event)
    return tuple(RecordedPart(part[0].session_id, file_name(part[0]), tuple(part)) for part in chunks.values())


def file_name(chunk: RecordingStored) -> str:
    """Return the name of the file a chunk belongs to."""
    return f"{chunk.part:03d}-{chunk.block_id}.{chunk.media}"


class Recordings:
    """A folder with one folder for each session; nothing in it is ever served."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def path_of(self, part: RecordedPart) -> Path:
        """Return where a file lies."""
        return self._folder / part.session_id / part.name

    def store(self, chunk: RecordingStored, content: bytes, earlier: Sequence[RecordingStored]) -> None:
        """Put a chunk after the earlier ones of its part, and return when it is on the disk.

        What lies beyond the earlier chunks was never noted in the log: an attempt broke off there, and is overwritten.
        """
        path = self._folder / chunk.session_id / file_name(chunk)
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+b") as stream:
            stream.truncate(sum(chunk.n_bytes for chunk in earlier))
            stream.seek(0, os.SEEK_END)
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())

    def read(self, part: RecordedPart) -> bytes:
        """Return a file, or say what of it is not as it was stored."""
        path = self.path_of(part)
        try:
            content = path.read_bytes()[: part.n_bytes]
        except FileNotFoundError:
            raise LogError(
                f"The log names the recording {path}, which is not there; put it back from a copy."
            ) from None
        at = 0
        for chunk in part.chunks:
            piece = content[at : at + chunk.n_bytes]
            if hashlib.sha256(piece).hexdigest() != chunk.sha256:
                raise LogError(f"Chunk {chunk.chunk} of the recording {path} is not what was stored; put back a copy.")
            at += chunk.n_bytes
        return content

    def forget(self, session_id: str) -> None:
        """Remove all that was recorded of a session; a session without recordings has nothing to remove."""
        try:
            shutil.rmtree(self._folder / session_id)
        except FileNotFoundError:
            return
