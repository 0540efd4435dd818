"""Codes in files: CSV tables and the exchange format of coding programs, written and read back."""

import csv
import io
import uuid
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple
from xml.etree.ElementTree import Element, SubElement, tostring

from understudy.actions.annotate import CodedRun, Numbered
from understudy.conduct.coding import Unit
from understudy.conduct.coding_room import Author, Given, SchemeState, code_fault, given_event
from understudy.errors import TableError, UnderstudyError, refuse_large
from understudy.schema import seed_from
from understudy.schema.log_entries import utc_second
from understudy.sources.csv_text import csv_text

# CSV files that people filled in: read as text, whatever a spreadsheet made of them.

Row = dict[str, str]


def rows_in_csv(path: Path, needed: tuple[str, ...], origin: str) -> list[Row]:
    """Return the rows of a file, empty cells as empty texts; `origin` names the command that writes such a file."""
    refuse_large(path, 64, TableError, f"Check that it is the file that {origin} wrote.")
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise TableError(f"{path} is not UTF-8 text; save it as CSV UTF-8.") from None
    # Spreadsheets of many countries write semicolons between cells, and so the first line decides.
    head = text.partition("\n")[0]
    delimiter = ";" if head.count(";") > head.count(",") else ","
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter)
    columns = reader.fieldnames or ()
    missing = [name for name in needed if name not in columns]
    if missing:
        raise TableError(
            f"{path} has no column {missing[0]!r}; it needs {' and '.join(needed)}, as {origin} writes them."
        )
    return [{name: value or "" for name, value in row.items() if name} for row in reader]


_BETWEEN = "; "
"""Between several codes in one cell."""
EXPORTED = (
    "scheme", "unit_id", "session", "questions", "annotator", "is_synthetic", "is_blind", "phase", "codes", "note",
    "revision", "at", "agreed_codes", "settled_by", "reason",
)  # fmt: skip
TO_CODE = ("scheme", "unit_id", "question", "text", "codes", "note")


def codes_csv(states: Sequence[SchemeState]) -> str:
    """Write one row for each annotator of each text; `agreed_codes` is empty while they disagree."""
    rows = [row for state in states for row in _exported(state)]
    return _written(EXPORTED, rows)


def _exported(state: SchemeState) -> Iterator[dict[str, object]]:
    for unit in state.units:
        said = state.said(unit)
        for name, event in sorted(said.given.items()):
            yield {
                "scheme": state.scheme.scheme_id,
                "unit_id": unit.unit_id,
                "session": unit.session_id,
                "questions": _BETWEEN.join(text.question_id for text in unit.texts),
                "annotator": name,
                "is_synthetic": event.annotator_kind == "synthetic",
                "is_blind": event.is_blind,
                "phase": event.phase,
                "codes": _BETWEEN.join(event.codes or ()),
                "note": event.note,
                "revision": event.revision,
                "at": utc_second(event.at_ms).isoformat(),
                "agreed_codes": _BETWEEN.join(said.agreed or ()),
                "settled_by": said.settled.actor if said.settled else "",
                "reason": said.settled.reason if said.settled else "",
            }


def texts_csv(state: SchemeState) -> str:
    """Write the texts without anything about people or conditions, shuffled, with empty columns for codes and notes."""
    units = sorted(state.units, key=lambda unit: seed_from(state.seed, "texts", unit.unit_id))
    rows: list[dict[str, object]] = [
        {
            "scheme": state.scheme.scheme_id,
            "unit_id": unit.unit_id,
            "question": "\n".join(text.prompt for text in unit.texts),
            "text": "\n\n".join(text.text for text in unit.texts),
        }
        for unit in units
    ]
    return _written(TO_CODE, rows)


class Imported(NamedTuple):
    """What came out of a file of codes."""

    n_new: int
    n_same: int
    n_empty: int


def import_codes(coded: CodedRun, path: Path, annotator: str) -> Imported:
    """Take the codes that somebody wrote into a file of texts; all rows or none."""
    rows = rows_in_csv(path, ("unit_id", "codes"), "understudy annotate RUN --texts")
    _require_own_rows(path, rows, annotator)
    states = {scheme.scheme_id: coded.state(scheme) for scheme in coded.schemes}
    made: list[tuple[str, Numbered]] = []
    faults = list(_repeated(rows))
    n_same = n_empty = 0
    for number, row in enumerate(rows, start=2):
        state = states.get(row.get("scheme", "") or next(iter(states)))
        unit = state.unit(row["unit_id"]) if state else None
        if state is None or unit is None:
            faults.append(f"Line {number} names a text that this run does not have: {row['unit_id']!r}.")
            continue
        codes = tuple(filter(None, (part.strip() for part in row["codes"].split(_BETWEEN.strip()))))
        if not codes:
            n_empty += 1
            continue
        given, fault = Given(codes, row.get("note", "").strip()), code_fault(state, codes)
        known = state.said(unit).given.get(annotator)
        if fault is not None:
            faults.append(f"Line {number}: {fault}")
        elif known is not None and (known.codes, known.note) == given:
            n_same += 1
        else:
            # Whether the person saw conditions elsewhere, nobody can know from a file.
            made.append((unit.session_id, given_event(state, unit, Author(annotator, is_blind=False), given)))
    if faults:
        raise UnderstudyError(f"{path} was not taken. " + " ".join(faults[:5]))
    coded.add(made)
    return Imported(len(made), n_same, n_empty)


def _require_own_rows(path: Path, rows: Sequence[Row], annotator: str) -> None:
    """Refuse the codes of other people: under one name, two annotators would seem to agree about everything."""
    others = sorted({name for row in rows if (name := row.get("annotator", "").strip()) not in ("", annotator)})
    if others:
        raise UnderstudyError(
            f"{path} was not taken as the codes of {annotator}: its column annotator names {', '.join(others)}. Delete the "
            "rows of other people, or import them under their own names from a file of their own."
        )


def _repeated(rows: Sequence[Row]) -> Iterator[str]:
    """Yield a sentence for each text that has a second row."""
    first: dict[tuple[str, str], int] = {}
    for number, row in enumerate(rows, start=2):
        before = first.setdefault((row.get("scheme", ""), row["unit_id"]), number)
        if before != number:
            yield f"Lines {before} and {number} are both about the text {row['unit_id']!r}; keep one of them."


def _written(columns: Sequence[str], rows: Sequence[dict[str, object]]) -> str:
    return csv_text(columns, ([row.get(name, "") for name in columns] for row in rows))


# REFI-QDA: code books (.qdc) and projects (.qdpx) that MAXQDA, NVivo, ATLAS.ti and others open.
#
# Written after the REFI-QDA standard 1.5 (Rotterdam Exchange Format Initiative, 2019): a project is a zip archive with
# `project.qde` and the texts as plain files.

_BOOK = "urn:QDA-XML:codebook:1.0"
_PROJECT = "urn:QDA-XML:project:1.0"
_ORIGIN = "understudy"
_SPACE = uuid.uuid5(uuid.NAMESPACE_URL, "urn:understudy:refi-qda")
_ZIP_TIME = (1980, 1, 1, 0, 0, 0)
"""The earliest time a zip archive can hold; the same codes give the same bytes."""
_COLOURS = ("#0F6B66", "#B3541E", "#1F5FA8", "#7A4FA3", "#5B7A1D", "#A8321D", "#54606D")


def code_book_xml(states: Sequence[SchemeState]) -> bytes:
    """Write the codes of all schemes, each scheme as a parent of its codes."""
    root = Element("CodeBook", {"xmlns": _BOOK, "origin": _ORIGIN})
    _codes(root, states)
    return _xml(root)


def project_archive(states: Sequence[SchemeState], *, name: str) -> bytes:
    """Write a project with every text, every code and who gave it; texts are named by their marks, not by people."""
    root = Element("Project", {"xmlns": _PROJECT, "origin": _ORIGIN, "name": name})
    annotators = sorted({who for state in states for who in state.progress})
    users = SubElement(root, "Users")
    for who in annotators:
        SubElement(users, "User", {"guid": _guid("user", who), "name": who})
    _codes(SubElement(root, "CodeBook"), states)
    sources = SubElement(root, "Sources")
    texts: dict[str, str] = {}
    for state in states:
        for unit in state.units:
            if unit.texts:
                _source(sources, state, unit, texts)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(zipfile.ZipInfo("project.qde", _ZIP_TIME), _xml(root))
        for path, text in sorted(texts.items()):
            archive.writestr(zipfile.ZipInfo(f"sources/{path}", _ZIP_TIME), text.encode())
    return packed.getvalue()


def _codes(parent: Element, states: Iterable[SchemeState]) -> None:
    codes = SubElement(parent, "Codes")
    for state in states:
        scheme = state.scheme
        top = SubElement(
            codes, "Code", {"guid": _guid("scheme", scheme.scheme_id), "name": scheme.words, "isCodable": "false"}
        )
        if scheme.instruction:
            SubElement(top, "Description").text = scheme.instruction
        for place, code in enumerate(state.book.codes):
            child = SubElement(
                top,
                "Code",
                {
                    "guid": _guid("code", scheme.scheme_id, code.code_id),
                    "name": code.words,
                    "isCodable": "true",
                    "color": _COLOURS[place % len(_COLOURS)],
                },
            )
            told = [code.definition, *(f"Yes: {text}" for text in code.examples)]
            told += [f"No: {text}" for text in code.counterexamples]
            if any(told):
                SubElement(child, "Description").text = "\n".join(filter(None, told))


def _source(sources: Element, state: SchemeState, unit: Unit, texts: dict[str, str]) -> None:
    guid, text = _guid("source", unit.unit_id), "\n\n".join(read.text for read in unit.texts)
    texts[f"{guid}.txt"] = text
    said = state.said(unit)
    source = SubElement(
        sources, "TextSource", {"guid": guid, "name": unit.unit_id, "plainTextPath": f"internal://{guid}.txt"}
    )
    for who, event in sorted(said.given.items()):
        given = {"creatingUser": _guid("user", who), "creationDateTime": _time(event.at_ms)}
        # Positions count characters; a code here is always about the whole text.
        selection = SubElement(
            source,
            "PlainTextSelection",
            {
                "guid": _guid("selection", unit.unit_id, who),
                "startPosition": "0",
                "endPosition": str(len(text)),
                **given,
            },
        )
        # A label of open coding counts as the code that it became part of, and as none before that.
        codes = {state.book.merged.get(state.book.label_of(label), label) for label in event.codes or ()}
        for code in sorted(code for code in codes if state.book.code(code) is not None):
            coding = SubElement(selection, "Coding", {"guid": _guid("coding", unit.unit_id, who, code), **given})
            SubElement(coding, "CodeRef", {"targetGUID": _guid("code", state.scheme.scheme_id, code)})


def _time(at_ms: int) -> str:
    return utc_second(at_ms).strftime("%Y-%m-%dT%H:%M:%SZ")


def _guid(*names: str) -> str:
    return str(uuid.uuid5(_SPACE, "\x1f".join(names))).upper()


def _xml(root: Element) -> bytes:
    body: str = tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{body}\n'.encode()
