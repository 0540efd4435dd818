"""Codes as CSV: texts to code elsewhere, codes that come back, and everything that was said, for other programs."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from understudy.conduct.coding.room import Author, Given, SchemeState, code_fault, given_event
from understudy.errors import UnderstudyError
from understudy.schema import seed_from
from understudy.schema.registration import utc_second
from understudy.sources.csv_text import csv_text
from understudy.workflow.annotation.coded_run import CodedRun, Numbered
from understudy.workflow.csv_files import Row, rows_in_csv

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
