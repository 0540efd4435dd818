"""Voice recordings: files next to the log, each made of the chunks that the log lists."""

import hashlib
import os
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from understudy.errors import LogError
from understudy.schema import Event, RecordingStored


class RecordedPart(NamedTuple):
    """One audio file of a session, from a start of recording to the next pause, reload or end of a block."""

    session_id: str
    name: str
    """The file, under the folder of its session."""
    chunks: tuple[RecordingStored, ...]


def parts_in(events: Iterable[Event]) -> tuple[RecordedPart, ...]:
    """Return the files that the events of one session name, in order of their start."""
    chunks: dict[int, list[RecordingStored]] = {}
    for event in events:
        if isinstance(event, RecordingStored):
            chunks.setdefault(event.part, []).append(event)
    return tuple(RecordedPart(part[0].session_id, file_name(part[0]), tuple(part)) for part in chunks.values())


def file_name(chunk: RecordingStored) -> str:
    """Return the name of the file a chunk belongs to."""
    return f"{chunk.part:03d}-{chunk.block_id}.{chunk.media}"


def sync_folder(folder: Path) -> None:
    """Return when the names in a folder are on the disk; Windows writes them by itself."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


class Recordings:
    """The folder of recordings, with one subfolder per session; only annotators are sent anything of it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def path_of(self, part: RecordedPart) -> Path:
        """Return the path of a file."""
        return self._folder / part.session_id / part.name

    def store(self, chunk: RecordingStored, content: bytes, earlier: Sequence[RecordingStored]) -> None:
        """Append a chunk to its part and return once it is on disk.

        Bytes after the earlier chunks come from an interrupted attempt that the log never recorded; they are overwritten.
        Where the earlier chunks are not there, OSError is raised: another machine has them in a folder of its own, and
        what is heard on two machines could not be put together again.
        """
        path = self._folder / chunk.session_id / file_name(chunk)
        # One by one: parents that mkdir makes itself are open to others.
        for folder in (self._folder, path.parent):
            folder.mkdir(mode=0o700, exist_ok=True)
        is_new = not path.exists()
        # The file is readable by its owner only from the moment it exists.
        with os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+b") as stream:
            n_earlier = sum(chunk.n_bytes for chunk in earlier)
            if stream.seek(0, os.SEEK_END) < n_earlier:
                raise OSError(f"{path} is shorter than the log says")
            stream.truncate(n_earlier)
            stream.seek(n_earlier)
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        if is_new:
            # A file is on the disk when its names are, too: its own, that of its folder, and that of the folder of all.
            for folder in (path.parent, self._folder, self._folder.parent):
                sync_folder(folder)

    def read(self, part: RecordedPart) -> bytes:
        """Return the content of a file, or raise LogError when it differs from what was stored."""
        path = self.path_of(part)
        try:
            content = path.read_bytes()[: sum(chunk.n_bytes for chunk in part.chunks)]
        except FileNotFoundError:
            raise LogError(
                f"The log names the recording {path}, which does not exist; restore it from a copy."
            ) from None
        at = 0
        for chunk in part.chunks:
            piece = content[at : at + chunk.n_bytes]
            if hashlib.sha256(piece).hexdigest() != chunk.sha256:
                raise LogError(
                    f"Chunk {chunk.chunk} of the recording {path} is not what was stored; restore it from a copy."
                )
            at += chunk.n_bytes
        return content

    def forget(self, session_id: str) -> None:
        """Delete all recordings of a session, if there are any."""
        try:
            shutil.rmtree(self._folder / session_id)
        except FileNotFoundError:
            return
