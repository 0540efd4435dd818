"""Import result files of a static export into the log, with the checks that a server would make."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import Field, JsonValue, StringConstraints, ValidationError
from pydantic_core import from_json

from understudy.errors import LogError, UnderstudyError
from understudy.record import Log
from understudy.recruiters import recruiter_id_of
from understudy.schema import Assignment, Event, Record, SessionEnded, SessionStarted, sentences_from_validation
from understudy.serve.people.people import People
from understudy.serve.rebuild import counted_from_log
from understudy.serve.refusals import Refusal
from understudy.serve.sessions.live import Live, opening
from understudy.serve.tokens import Keyring
from understudy.serve.wire.messages import events_from_body, fields_from
from understudy.serve.wire.wire_names import WireNames
from understudy.workflow.runs.registering import recorded_looks
from understudy.workflow.runs.run_folder import Run, only_writer
from understudy.workflow.runs.run_tables import tables_of
from understudy.workflow.static.export import Places, places_of

_LARGEST = 64 * 1024 * 1024
_MOST_EVENTS = 1_000_000
_LATEST_MS = 2**53
_LONGEST = 500


class ResultFile(Record):
    """The result file that a static page saves or sends."""

    format: Literal[1]
    study_name: str
    study_digest: str
    place: str
    session_id: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{22}$")]
    started_ms: int = Field(gt=-_LATEST_MS, lt=_LATEST_MS)
    recruiter: dict[str, str]
    withdrew_ms: int | None = Field(gt=-_LATEST_MS, lt=_LATEST_MS)
    events: list[dict[str, JsonValue]]


class Collected(NamedTuple):
    """The result of importing files."""

    n_new: int
    """Sessions that were not in the log before."""
    n_longer: int
    """Sessions that the log held only in part."""
    n_known: int
    """Sessions that the log already held completely."""
    outcomes: dict[str, int]
    """Outcomes of the new and longer sessions; `unfinished` if a session has not ended."""
    faults: tuple[str, ...]
    """One sentence for each rejected session."""


def collect(run: Run, files: Sequence[Path], *, keyring: Callable[[], Keyring]) -> Collected:
    """Import every valid session, each whole or not at all; `keyring` makes the pseudonyms of recruited people."""
    counts = {"new": 0, "longer": 0, "known": 0}
    outcomes: dict[str, int] = {}
    faults: list[str] = []
    places = places_of(run)
    with only_writer(run), run.open_log() as log:
        counted_from_log(log, run.script.study, run.script.digest, is_rehearsal=False, heard_ms=0)
        target = _Import(run, log, places, keyring)
        for label, text in _texts_in(files, faults):
            try:
                taken = _taken(target, _read(text))
            except (Refusal, UnderstudyError) as error:
                faults.append(f"{label}: {_safe(str(error))}")
                continue
            counts[taken.kind] += 1
            if taken.kind != "known":
                outcomes[taken.outcome] = outcomes.get(taken.outcome, 0) + 1
    if run.script.study.plan.sequential is not None:
        # Who belongs to a look must not depend on which files come later.
        recorded_looks(run, tables_of(run).sessions)
    return Collected(counts["new"], counts["longer"], counts["known"], outcomes, tuple(faults))


class _Taken(NamedTuple):
    kind: Literal["new", "longer", "known"]
    outcome: str


class _Import(NamedTuple):
    run: Run
    log: Log
    places: Places
    keyring: Callable[[], Keyring]


def _taken(target: _Import, result: ResultFile) -> _Taken:
    run, log, places, keyring = target
    _check_belonging(run, result, places.places)
    fields = fields_from(result.recruiter)  # type: ignore[arg-type]
    recruiter_id = recruiter_id_of(fields)
    person = keyring().participant_id(recruiter_id) if recruiter_id else f"p-{result.session_id}"
    _check_first_time(run, log, person)
    started = SessionStarted(
        session_id=result.session_id, seq=1, at_ms=result.started_ms, study_name=run.script.study.name,
        study_digest=run.script.digest, participant_id=person, participant_kind="person", assignment=places.places[result.place],
    )  # fmt: skip
    live, events = _replayed(run, started, result, places.names_of(result.place, run.script.blocks))
    # Asked before appending, since appending makes every session known.
    was_known = bool(log.last_seq(result.session_id, "engine"))
    n_new = log.append(events)
    if fields and not was_known:
        People(run.folder / "people.sqlite").remember(person, fields)
    kind: Literal["new", "longer", "known"] = ("longer" if n_new else "known") if was_known else "new"
    return _Taken(kind, live.session.outcome or "unfinished")


def _replayed(run: Run, started: SessionStarted, result: ResultFile, names: WireNames) -> tuple[Live, list[Event]]:
    """Replay the session event by event and return all events that a server would have stored."""
    live = opening(run.script, started, names)
    stored: list[Event] = [started]
    sent = json.dumps({"events": result.events}).encode()
    for received in events_from_body(sent, result.session_id, _MOST_EVENTS) if result.events else ():
        event = live.read(received)
        if live.session.outcome is not None:
            raise LogError(f"Event {event.seq} follows the end of the session ({live.session.outcome}).")
        fault = live.fault_of(event)
        if event.seq != live.next_seq:
            fault = f"The first event has number {event.seq}, but a session begins with 1."
        if fault is not None:
            raise LogError(f"Event {event.seq}: {fault}")
        stored.append(event)
        stored.extend(live.take(event))
    if result.withdrew_ms is not None:
        if live.session.outcome is not None:
            raise LogError(
                f"It says that the participant withdrew, but the session had ended ({live.session.outcome})."
            )
        ended = SessionEnded(
            session_id=result.session_id, seq=live.engine_seq + 1, at_ms=result.withdrew_ms, outcome="withdrew",
            reason="Withdrew at their own wish.",
        )  # fmt: skip
        live.take(ended)
        stored.append(ended)
    return live, stored


def _check_belonging(run: Run, result: ResultFile, places: Mapping[str, Assignment]) -> None:
    study = run.script.study
    if result.study_name != study.name:
        raise LogError(f"It is of the study {result.study_name!r}, but {run.folder} holds {study.name!r}.")
    if result.study_digest != run.script.digest:
        raise LogError(
            f"It is of another version of {study.name!r} ({result.study_digest[:12]}) than the one in {run.folder} "
            f"({run.script.digest[:12]}); collect it into the run it was exported from."
        )
    if result.place not in places:
        raise LogError(f"The place {result.place!r} was not drawn from {run.folder}; collect it where it was exported.")


def _check_first_time(run: Run, log: Log, person: str) -> None:
    for other in run.script.study.refuses_people_of:
        if log.session_of(other, person) is not None:
            raise LogError(f"The participant took part in {other!r}, whose participants may not take this study.")


def _texts_in(files: Sequence[Path], faults: list[str]) -> Iterator[tuple[str, bytes]]:
    """Yield the sessions of each file: one JSON object, or one on each line as JATOS exports them."""
    for path in files:
        if not path.is_file():
            faults.append(f"{path} is not a file; give the result files themselves.")
            continue
        if path.stat().st_size > _LARGEST:
            faults.append(
                f"{path} is larger than {_LARGEST // 2**20} MB, too large for a session; check what it contains."
            )
            continue
        # Windows editors add a byte order mark.
        text = path.read_bytes().removeprefix(b"\xef\xbb\xbf")
        lines = [line for line in text.splitlines() if line.strip()]
        if len(lines) > 1 and all(line.lstrip().startswith(b'{"format"') for line in lines):
            yield from ((f"{path}, line {number}", line) for number, line in enumerate(lines, start=1))
        else:
            yield str(path), text


def _read(text: bytes) -> ResultFile:
    try:
        plain: Any = from_json(text, allow_inf_nan=False)
    except (ValueError, RecursionError):
        raise LogError("It is not JSON; it may have been cut off or changed on the way.") from None
    if not isinstance(plain, dict) or "place" not in plain:
        raise LogError("It is not a result file of an exported study.")
    try:
        return ResultFile.model_validate(plain, strict=True)
    except (ValidationError, RecursionError) as error:
        message = (
            sentences_from_validation(error)[:3] if isinstance(error, ValidationError) else ["It is nested too deeply."]
        )
        raise LogError(" ".join(message)) from None


def _safe(sentence: str) -> str:
    """Shorten a sentence and remove control characters, since parts of it come from the file."""
    shown = "".join(character if character.isprintable() else "�" for character in sentence)
    return shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]} …"
