"""REFI-QDA: code books (.qdc) and projects (.qdpx) that MAXQDA, NVivo, ATLAS.ti and others open.

Written after the REFI-QDA standard 1.5 (Rotterdam Exchange Format Initiative, 2019): a project is a zip archive with
`project.qde` and the texts as plain files.
"""

import io
import uuid
import zipfile
from collections.abc import Iterable, Sequence
from xml.etree.ElementTree import Element, SubElement, tostring

from understudy.conduct.coding.room import SchemeState
from understudy.conduct.coding.units import Unit
from understudy.schema.registration import utc_second

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
