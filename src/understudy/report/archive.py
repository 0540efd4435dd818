"""The archive: one zip in the Psych-DS layout with data, events, codebook, study, plan and digests.

Its bytes depend on its contents alone, so two people who export the same data get the same file.
"""

import gzip
import io
import json
import shutil
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO, Final, Protocol

import pandas as pd
from pydantic import JsonValue

from understudy.errors import LogError, TableError, UnderstudyError
from understudy.parquet import ParquetReader, write_frame
from understudy.report.archive_texts import (
    changes_text,
    check_described,
    codebook_csv,
    codebook_markdown,
    data_name,
    dataset_description,
    readme_text,
    table_description,
    undescribed,
)
from understudy.schema import CodebookEntry, Event, Findings, Materials, SessionStarted, Study, digest_of
from understudy.sources.csv_text import write_csv

# The kinds of files in an archive, each of which writes itself to a stream.

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


_EPOCH: Final = (1980, 1, 1, 0, 0, 0)
"""The earliest date in a zip file; a fixed date keeps archives byte-identical."""


@dataclass(frozen=True)
class ArchiveTable:
    """A tidy table, in memory or as a Parquet file, and what its columns mean."""

    rows: pd.DataFrame | Path
    codebook: Sequence[CodebookEntry]


@dataclass(frozen=True)
class ArchiveContents:
    """The contents of an archive; events are streamed session by session to save memory."""

    study: Study
    trials: ArchiveTable
    sessions: ArchiveTable
    is_synthetic: bool
    version: str
    """The version of understudy."""
    answers: ArchiveTable | None = None
    """One row per compared question of a trial, in studies with question-factors."""
    items: ArchiveTable | None = None
    """One row per page and combination of levels: what was shown, asked, right and true."""
    events: Iterable[tuple[Event, ...]] = ()
    findings: Findings | None = None
    materials: Materials | None = None
    attachments: Mapping[str, bytes | Callable[[], bytes]] = field(default_factory=dict)
    """Further files by their path in the archive, such as materials/study.yaml or results/report.html; a large one is
    given as a function that returns it."""
    gzips_events: bool = False

    @property
    def tables(self) -> dict[str, ArchiveTable]:
        """The tables by name."""
        answers = {"answers": self.answers} if self.answers is not None else {}
        return {"trials": self.trials, "sessions": self.sessions, **answers}


def write_archive(path: Path, contents: ArchiveContents) -> Path:
    """Write the archive and return its path; a failure leaves nothing behind."""
    check_described(
        [
            fault
            for name, table in _described(contents).items()
            for fault in undescribed(name, columns_of(table.rows), table.codebook)
        ]
    )
    entries = _documents(contents) | _data(contents)
    for name, content in contents.attachments.items():
        entries[_free_name(name, entries)] = BytesEntry(content) if isinstance(content, bytes) else LaterEntry(content)
    path.parent.mkdir(parents=True, exist_ok=True)
    # Renamed at the end, so that an interrupted export never looks complete.
    unfinished = path.with_name(f"{path.name}.unfinished")
    try:
        with zipfile.ZipFile(unfinished, "w") as archive:
            for name, entry in sorted(entries.items()):
                with archive.open(_entry_info(name), "w", force_zip64=True) as stream:
                    entry.write(stream)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
    return path


def _documents(contents: ArchiveContents) -> dict[str, ArchiveEntry]:
    study, is_synthetic = contents.study, contents.is_synthetic
    codebooks = {name: table.codebook for name, table in _described(contents).items()}
    in_data = [table.codebook for table in contents.tables.values()]
    software = f"understudy {contents.version}"
    about = dataset_description(study, in_data, is_synthetic=is_synthetic, software=software)
    listed: dict[str, JsonValue] = {
        name: [entry.model_dump(mode="json") for entry in codebook] for name, codebook in codebooks.items()
    }
    entries: dict[str, ArchiveEntry] = {
        "dataset_description.json": _json(about),
        "README.md": _text(readme_text(study, is_synthetic=is_synthetic, version=contents.version)),
        "CHANGES.md": _text(changes_text(study, contents.version)),
        ".psychdsignore": _text("*.parquet\n*.jsonl\n*.jsonl.gz\n"),
        "documentation/codebook.json": _json(listed),
        "documentation/codebook.csv": _text(codebook_csv(codebooks)),
        "documentation/codebook.md": _text(codebook_markdown(codebooks, is_synthetic=is_synthetic)),
        "materials/study.json": _json(study.model_dump(mode="json")),
        "materials/plan.json": _json(study.plan.model_dump(mode="json")),
        "materials/digests.json": _json(_digests(contents)),
    }
    if contents.items is not None:
        entries["materials/items.csv"] = CsvEntry(contents.items.rows)
        entries["materials/items.json"] = _json(table_description(contents.items.codebook))
    if contents.findings is not None:
        entries["results/findings.json"] = _json(contents.findings.model_dump(mode="json"))
    return entries


def _described(contents: ArchiveContents) -> dict[str, ArchiveTable]:
    """Return every table that has a codebook; the items are material and not data."""
    return contents.tables | ({} if contents.items is None else {"items": contents.items})


def _data(contents: ArchiveContents) -> dict[str, ArchiveEntry]:
    entries: dict[str, ArchiveEntry] = {}
    is_synthetic = contents.is_synthetic
    for name, table in contents.tables.items():
        stem = data_name(contents.study.name, name, is_synthetic=is_synthetic)
        entries[f"data/{stem}.csv"] = CsvEntry(table.rows)
        entries[f"data/{stem}.json"] = _json(table_description(table.codebook))
        entries[f"data/parquet/{stem}.parquet"] = ParquetEntry(table.rows)
    stem = data_name(contents.study.name, "events", is_synthetic=is_synthetic).removesuffix("_data")
    suffix = ".jsonl.gz" if contents.gzips_events else ".jsonl"
    entries[f"data/raw/{stem}{suffix}"] = EventsEntry(contents.events, is_synthetic, contents.gzips_events)
    return entries


def _free_name(name: str, taken: Mapping[str, ArchiveEntry]) -> str:
    parts = PurePosixPath(name).parts
    if name in taken or name.startswith("/") or "\\" in name or ".." in parts or not parts:
        raise UnderstudyError(
            f"{name!r} cannot be a file of the archive: give a relative path with forward slashes that is not "
            "one of the archive's own files."
        )
    return name


def _digests(contents: ArchiveContents) -> dict[str, JsonValue]:
    materials = contents.materials
    return {
        "study": contents.study.digest,
        "plan": digest_of(contents.study.plan),
        "materials": digest_of(materials) if materials else None,
        "assets": list(materials.assets) if materials else [],
    }


def _json(value: JsonValue) -> BytesEntry:
    return _text(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def _text(text: str) -> BytesEntry:
    return BytesEntry(text.encode())


def _entry_info(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, _EPOCH)
    info.compress_type = zipfile.ZIP_DEFLATED
    info.create_system = 3
    info.external_attr = 0o644 << 16
    return info
