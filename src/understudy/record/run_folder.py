"""Files next to the log: recordings, the lock of a folder, and how far sessions were acknowledged."""

import hashlib
import mmap
import os
import shutil
import sqlite3
import struct
import threading
import time
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

from understudy.errors import LogError
from understudy.record.encoding import session_hash
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


# Lock a run folder, so that only one process at a time adds sessions to it.

_NAME = "in_use.lock"
_ADVICE = "stop that one first, or prepare the study into another folder"


@contextmanager
def lock_folder(folder: Path, advice: str = _ADVICE) -> Iterator[None]:
    """Lock a folder for the block, or raise LogError with advice when another process has locked it.

    Two servers would each count places and number events from what they have seen themselves. The lock is an SQLite
    transaction because that works the same on every system, and the operating system releases it when the process ends.
    """
    with closing(_lock_of(folder, advice)):
        yield


def _lock_of(folder: Path, advice: str) -> sqlite3.Connection:
    try:
        lock = sqlite3.connect(os.fspath(folder / _NAME), timeout=0, isolation_level=None, check_same_thread=False)
        lock.execute("BEGIN EXCLUSIVE")
    except sqlite3.Error as error:
        # Extended codes such as SQLITE_BUSY_SNAPSHOT start with the same words.
        if getattr(error, "sqlite_errorname", "").startswith("SQLITE_BUSY"):
            raise LogError(f"{folder} is in use by another understudy serve or rehearse; {advice}.") from None
        raise LogError(f"{folder} cannot be locked ({error}); check that the folder exists and is writable.") from None
    return lock


# What was acknowledged, in a small file outside the log, so that a log that has lost its end is noticed.
#
# The chain of digests is in the log and is lost with its end: an SQLite file whose write-ahead log was cut looks whole. This
# file has a line of 16 bytes for each session: which session it is, and how many of its events were acknowledged. It is
# written after each commit and before anybody is answered, and reaches the disk within a second; until then the operating
# system has it, so that a crash of the server loses none of it. After a power failure it may be behind the log, never ahead.

_MAGIC = b"usack\0\0\1"
_HEADER = struct.Struct("<8sQQI4x")
_LINE = struct.Struct("<8sII")
_N_AT_ONCE = 4096
"""Lines by which the file grows."""
_ERASED = 2**32 - 1
_SYNC_S = 1.0


class Reached(NamedTuple):
    """How far a session was acknowledged."""

    number: int
    """The number of its row."""
    mark: bytes
    """The first bytes of the hash of its id."""
    n_events: int | None
    """None for a session whose erasure was acknowledged."""


def mark_of(session_id: str) -> bytes:
    """Return what tells a session from others without naming it; a hash is taken as it is."""
    text = session_id if session_id.startswith("sha256:") else session_hash(session_id)
    return bytes.fromhex(text.removeprefix("sha256:")[:16])


class Totals(NamedTuple):
    """How far the log as a whole was acknowledged."""

    n_writes: int = 0
    """Transactions other than those that append events."""
    n_commits: int = 0
    """The number of the last commit of events."""


class Acknowledged:
    """The file of one log; it is made by the first commit."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._map: mmap.mmap | None = None
        self._lock = threading.Lock()
        self._synced_s = 0.0

    def note(self, reached: Sequence[Reached], totals: Totals) -> None:
        """Remember how far sessions and the log were acknowledged."""
        with self._lock:
            held = self._grown(_place(1 + max((line.number for line in reached), default=0)))
            known = _totals_in(held)
            # After a loss the log counts from less; only accepting the loss takes the numbers back.
            furthest = Totals(max(known.n_writes, totals.n_writes), max(known.n_commits, totals.n_commits))
            _HEADER.pack_into(held, 0, *_head(furthest))
            for line in reached:
                _LINE.pack_into(held, _place(line.number), *_fields(line))
            if time.monotonic() - self._synced_s > _SYNC_S:
                held.flush()
                self._synced_s = time.monotonic()

    def totals(self) -> Totals:
        """Return how far the log was acknowledged; zeros without a file, or where these numbers are damaged themselves."""
        return _totals_in(self._content(_HEADER.size))

    def reached(self) -> Iterator[Reached]:
        """Yield what is known of each session; a line that is damaged itself says nothing."""
        content = self._content()
        for number in range(1, (len(content) - _HEADER.size) // _LINE.size + 1):
            mark, n_events, check = _LINE.unpack_from(content, _place(number))
            line = Reached(number, mark, None if n_events == _ERASED else n_events)
            if n_events and check == _fields(line)[2]:
                yield line

    def begin_anew(self, reached: Sequence[Reached], totals: Totals) -> None:
        """Replace the file by what the log holds now, whole or not at all."""
        # Servers of one folder may start at the same moment, so each writes a draft of its own.
        draft = self.path.with_name(f"{self.path.name}.{os.getpid()}.part")
        draft.unlink(missing_ok=True)
        made = Acknowledged(draft)
        made.note(reached, totals)
        made.close()
        with self._lock:
            self._close()
            draft.replace(self.path)
            sync_folder(self.path.parent)

    def close(self) -> None:
        """Write the rest to the disk."""
        with self._lock:
            self._close()

    def _close(self) -> None:
        if self._map is not None:
            self._map.flush()
            self._map.close()
            self._map = None

    def _content(self, n_bytes: int = -1) -> bytes:
        try:
            with self.path.open("rb") as stream:
                return stream.read(n_bytes)
        except FileNotFoundError:
            return b""

    def _grown(self, n_bytes: int) -> mmap.mmap:
        if self._map is not None and len(self._map) >= n_bytes:
            return self._map
        self._close()
        # Appended as zeros: a hole in a file on a full disk would end the process at the first write to it.
        with os.fdopen(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600), "r+b") as stream:
            missing = n_bytes - stream.seek(0, os.SEEK_END)
            if missing > 0:
                size = _N_AT_ONCE * _LINE.size
                stream.write(bytes(-(-missing // size) * size))
                stream.flush()
            self._map = mmap.mmap(stream.fileno(), 0)
        return self._map


def _totals_in(content: bytes | mmap.mmap) -> Totals:
    if len(content) < _HEADER.size:
        return Totals()
    magic, n_writes, n_commits, check = _HEADER.unpack_from(content)
    totals = Totals(n_writes, n_commits)
    # Files from before the check have zeros in its place.
    return totals if magic == _MAGIC and check in (0, _head(totals)[3]) else Totals()


def _head(totals: Totals) -> tuple[bytes, int, int, int]:
    return _MAGIC, totals.n_writes, totals.n_commits, zlib.crc32(struct.pack("<8sQQ", _MAGIC, *totals))


def _place(number: int) -> int:
    return _HEADER.size + (number - 1) * _LINE.size


def _fields(line: Reached) -> tuple[bytes, int, int]:
    n_events = _ERASED if line.n_events is None else line.n_events
    return line.mark, n_events, zlib.crc32(struct.pack("<Q8sI", line.number, line.mark, n_events))
