"""Traces: what files of a run folder say about somebody who is erased, such as a line of a pay list."""

import csv
import io
import os
import re
import zipfile
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import NamedTuple

from understudy.recruiters import id_parameters

_SHORT = 6
"""An id below this length may also be an amount or a count, so that it is looked for only where ids are written."""
_ID_COLUMNS = frozenset({"id", "participant_id", "recruiter_id", "session_id"})
_TABLES, _LINES = (".csv", ".tsv"), (".txt", ".jsonl", ".log", ".md")
_WHOLE = (".html", ".json", ".zip", ".parquet", ".part")
_KEPT = ("public", "recordings", "pilot")
"""Folders without traces, or with a rule of their own: materials are the same for everybody, a pilot is a run of its own."""
_LARGEST = 256 * 1024 * 1024


class Swept(NamedTuple):
    """What was changed, and which files could not be looked into."""

    changed: tuple[str, ...]
    unread: tuple[str, ...]


def swept(folder: Path, words: Collection[str]) -> Swept:
    """Remove every line of a list, and every report, archive and deposit of a run folder, that has one of the words."""
    wanted = tuple(word for word in words if word)
    changed, unread = list[str](), list[str]()
    for path in _files_of(folder):
        name = path.relative_to(folder).as_posix()
        try:
            if path.stat().st_size > _LARGEST:
                unread.append(name)
            elif wanted and _is_changed(path, wanted):
                changed.append(name)
        except (OSError, zipfile.BadZipFile, csv.Error):
            unread.append(name)
    return Swept(tuple(changed), tuple(unread))


def _files_of(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        is_kept = path.relative_to(folder).parts[0] in _KEPT
        if not is_kept and path.is_file() and not path.is_symlink() and path.name not in _OF_THE_STUDY:
            yield path


_OF_THE_STUDY = frozenset({"study.json", "answers.json", "materials.json", "preview.json"})


def _is_changed(path: Path, words: tuple[str, ...]) -> bool:
    name = path.name.removesuffix(".part")
    if name.endswith((*_TABLES, *_LINES)):
        return _without_lines(path, words, is_table=name.endswith(_TABLES))
    if path.suffix not in _WHOLE or not _holds(path, words):
        return False
    path.unlink()
    return True


def _without_lines(path: Path, words: tuple[str, ...], *, is_table: bool) -> bool:
    text = path.read_bytes().decode("utf-8", "surrogateescape")
    records = list(_records(text) if is_table else ((line, (line,)) for line in text.splitlines(keepends=True)))
    head = tuple(cell.strip().lower() for cell in records[0][1]) if records and is_table else ()
    kept = "".join(raw for raw, cells in records if not _names(cells, head, words))
    if kept == text:
        return False
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as stream:
        stream.write(kept.encode("utf-8", "surrogateescape"))
    draft.chmod(path.stat().st_mode & 0o777)
    draft.replace(path)
    return True


def _records(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield each record of a CSV file as it was written, and its cells; a cell may have several lines."""
    lines = io.StringIO(text, newline="").readlines()
    delimiter = "\t" if "\t" in (lines[0] if lines else "") else ","
    reader, before = csv.reader(lines, delimiter=delimiter), 0
    for cells in reader:
        yield "".join(lines[before : reader.line_num]), tuple(cells)
        before = reader.line_num


def _names(cells: tuple[str, ...], head: tuple[str, ...], words: tuple[str, ...]) -> bool:
    """Tell whether a record is about somebody: a cell has one of the words, whole and not as a part of another one."""
    ids = _ID_COLUMNS | {name.lower() for name in id_parameters()}
    for number, cell in enumerate(cells):
        # Our lists mark what a spreadsheet would take for a formula.
        plain = cell.strip().removeprefix("'")
        is_id = not head or (number < len(head) and head[number] in ids)
        for word in words:
            if plain == word and (is_id or len(word) >= _SHORT):
                return True
            if len(word) >= _SHORT and re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", plain):
                return True
            # A personal link.
            if not head and re.search(rf"[?&][\w-]+={re.escape(word)}(?:&|$)", plain):
                return True
    return False


def _holds(path: Path, words: tuple[str, ...]) -> bool:
    if path.suffix == ".zip":
        with zipfile.ZipFile(path) as archive:
            if sum(member.file_size for member in archive.infolist()) > _LARGEST:
                return True
            return any(_has(archive.read(member), words) for member in archive.infolist()) or _is_export(archive)
    return _has(path.read_bytes(), words)


def _is_export(archive: zipfile.ZipFile) -> bool:
    """Tell whether an archive is one of ours with everybody's data, whose compressed tables cannot be searched."""
    return any(name.endswith(".parquet") for name in archive.namelist())


def _has(content: bytes, words: tuple[str, ...]) -> bool:
    # A short id may be any number of a report; the page of the last report goes in any case.
    forms = {form for word in words if len(word) >= _SHORT for form in (word, json_form(word))}
    return any(form.encode("utf-8", "replace") in content for form in forms)


def json_form(word: str) -> str:
    """Return a text as JSON writes it, without its quotes."""
    return word.encode("ascii", "backslashreplace").decode().replace("\\x", "\\u00")
