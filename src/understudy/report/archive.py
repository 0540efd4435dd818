"""The archive: one zip in the Psych-DS layout with data, events, codebook, study, plan and digests.

Its bytes depend on its contents alone, so two people who export the same data get the same file.
"""

import json
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Final

import pandas as pd
from pydantic import JsonValue

from understudy.errors import UnderstudyError
from understudy.report.archive_entries import (
    ArchiveEntry,
    BytesEntry,
    CsvEntry,
    EventsEntry,
    LaterEntry,
    ParquetEntry,
    columns_of,
)
from understudy.report.archive_texts import changes_text, codebook_csv, codebook_markdown, readme_text
from understudy.report.dataset_description import (
    check_described,
    data_name,
    dataset_description,
    table_description,
    undescribed,
)
from understudy.schema import CodebookEntry, Event, Findings, Materials, Study, digest_of

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
