"""The kinds of files in an archive, each of which writes itself to a stream."""

import gzip
import io
import shutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final, Protocol

import pandas as pd

from understudy.errors import LogError, TableError
from understudy.parquet import ParquetReader, write_frame
from understudy.schema import Event, SessionStarted
from understudy.sources.csv_text import write_csv

_CHUNK: Final = 1 << 16


class ArchiveEntry(Protocol):
    """One file of an archive."""

    def write(self, stream: IO[bytes]) -> None:
        """Write the whole content into an open stream."""


@dataclass(frozen=True)
class BytesEntry:
    """Content in memory."""

    content: bytes

    def write(self, stream: IO[bytes]) -> None:
        """Write the content."""
        stream.write(self.content)


@dataclass(frozen=True)
class LaterEntry:
    """Content that is loaded when it is written, so that large files are never in memory together."""

    fetch: Callable[[], bytes]

    def write(self, stream: IO[bytes]) -> None:
        """Fetch and write the content."""
        stream.write(self.fetch())


@dataclass(frozen=True)
class CsvEntry:
    """A table as CSV; a Parquet file is read in batches to save memory."""

    table: pd.DataFrame | Path

    def write(self, stream: IO[bytes]) -> None:
        """Write the heading and the rows."""
        text = io.TextIOWrapper(stream, encoding="utf-8", newline="")
        if isinstance(self.table, pd.DataFrame):
            write_csv(self.table, text)
        else:
            with ParquetReader(self.table) as source:
                write_csv(pd.DataFrame(columns=source.names), text)
                for number in range(source.n_parts):
                    part = source.part(number, categories=False)
                    write_csv(part, text, has_head=False)
        text.flush()
        # Without this, closing the wrapper would close the stream of the archive.
        text.detach()


@dataclass(frozen=True)
class ParquetEntry:
    """A table as Parquet; a Parquet file is copied."""

    table: pd.DataFrame | Path

    def write(self, stream: IO[bytes]) -> None:
        """Write the table."""
        if isinstance(self.table, Path):
            with self.table.open("rb") as source:
                shutil.copyfileobj(source, stream)
            return
        write_frame(self.table, stream)


@dataclass(frozen=True)
class EventsEntry:
    """Sessions as JSON lines, written one by one to save memory."""

    sessions: Iterable[tuple[Event, ...]]
    is_synthetic: bool
    is_gzip: bool = False

    def write(self, stream: IO[bytes]) -> None:
        """Write one line for each event."""
        if self.is_gzip:
            # No file name and no time, so that equal events give equal bytes.
            with gzip.GzipFile(fileobj=stream, mode="wb", filename="", mtime=0) as packed:
                self._write_lines(packed)
        else:
            self._write_lines(stream)

    def _write_lines(self, stream: IO[bytes] | gzip.GzipFile) -> None:
        buffer = bytearray()
        for events in self.sessions:
            for event in events:
                self._check(event)
                buffer += event.model_dump_json().encode() + b"\n"
            if len(buffer) >= _CHUNK:
                stream.write(bytes(buffer))
                buffer.clear()
        stream.write(bytes(buffer))

    def _check(self, event: Event) -> None:
        if isinstance(event, SessionStarted) and event.participant_kind == "synthetic" and not self.is_synthetic:
            raise LogError(
                f"Session {event.session_id} is synthetic, but the archive was said to hold people only. "
                "Export it as synthetic, or leave simulated sessions out."
            )


def columns_of(table: pd.DataFrame | Path) -> list[str]:
    """Return the headings of a table in memory or in a Parquet file."""
    if isinstance(table, pd.DataFrame):
        return [str(column) for column in table.columns]
    try:
        with ParquetReader(table) as source:
            return source.names
    except (OSError, ValueError) as error:
        raise TableError(f"{table} cannot be read as a Parquet table: {error}") from None
