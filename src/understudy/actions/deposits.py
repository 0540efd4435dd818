"""Deposits: result files of static exports, taken, set aside or refused."""

import json
import os
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from threading import Lock
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import Field, JsonValue, StringConstraints, ValidationError
from pydantic_core import from_json

from understudy.actions.run_folder import Run
from understudy.actions.static_site import Places, places_of
from understudy.conduct.copies import Copies, named
from understudy.errors import LogError, UnderstudyError
from understudy.record import Log
from understudy.record.log import now_ms
from understudy.recruiters import recruiter_id_of
from understudy.schema import Event, Record, ResponseGiven, SessionEnded, SessionStarted, sentences_from_validation
from understudy.schema.wire import Deposit
from understudy.serve.access import Keyring
from understudy.serve.arrivals import counted_from_log
from understudy.serve.live_session import Live, opening
from understudy.serve.people import MarksFile, People
from understudy.serve.wire import Refusal, events_from_body, fields_from

# Deposits: result files of a static export, checked as a server would, and set aside where they need a person's word.

_LARGEST = 64 * 1024 * 1024
_MOST_EVENTS = 1_000_000
_LATEST_MS = 2**53
_LONGEST = 500
_ALLOWANCE_MS = 60 * 60 * 1000
"""How far a participant's clock may be off: a deposit that begins before its export, or ends after now, by more is set aside."""
_FOLDER = "set-aside"


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


class SetAside(NamedTuple):
    """A deposit that waits for a decision, and why."""

    name: str
    """Its session and a digest of the file: there may be several files of one session."""
    reasons: tuple[str, ...]


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
    set_aside: tuple[SetAside, ...] = ()
    """Deposits outside the log, of these files and of earlier ones, by session."""


class Decisions(NamedTuple):
    """What a researcher decided about deposits that were set aside, by their names."""

    takes: tuple[str, ...] = ()
    drops: tuple[str, ...] = ()


NOTHING_DECIDED = Decisions()


class _Deposit(NamedTuple):
    name: str
    label: str
    text: bytes
    result: ResultFile
    person: str
    fields: dict[str, str]
    sent: tuple[Any, ...]
    """The page's events, with the times that the file claims."""


def imported(intake: "Intake", files: Sequence[Path], decisions: Decisions) -> Collected:
    """Import every sound session of some files, and what was decided about earlier ones; call it as the only writer."""
    run, faults = intake.run, list[str]()
    counted_from_log(intake.log, run.script.study, run.script.digest, is_rehearsal=False, heard_ms=0)
    store = _Store(run.folder / _FOLDER)
    unknown = [name for name in (*decisions.takes, *decisions.drops) if name not in store.names()]
    if unknown:
        raise UnderstudyError(
            f"{unknown[0]!r} is not set aside in {run.folder}. Set aside are: {', '.join(store.names()) or 'none'}."
        )
    for name in decisions.drops:
        store.drop(name)
    deposits = [*_sound(intake, store.texts(), faults), *_sound(intake, _texts_in(files, faults), faults)]
    doubts = _doubts(intake, deposits)
    counts, outcomes = Counter[str](), Counter[str]()
    waiting: dict[str, SetAside] = {}
    # By what the files claim, so that the log is the same whatever their order.
    for deposit in sorted(deposits, key=lambda each: (each.result.started_ms, len(each.sent), each.name)):
        reasons = doubts[deposit.result.session_id]
        if reasons and deposit.name not in decisions.takes:
            store.keep(deposit.name, deposit.text)
            waiting[deposit.name] = SetAside(deposit.name, tuple(reasons))
            continue
        try:
            kind, outcome = intake.take(deposit, is_decided=deposit.name in decisions.takes)
        except (Refusal, UnderstudyError) as error:
            faults.append(f"{deposit.label}: {_safe(str(error))}")
            continue
        store.drop(deposit.name)
        counts[kind] += 1
        if kind != "known":
            outcomes[outcome] += 1
    return Collected(
        counts["new"],
        counts["longer"],
        counts["known"],
        dict(outcomes),
        tuple(faults),
        tuple(waiting[name] for name in sorted(waiting)),
    )


def n_set_aside(run: Run) -> int:
    """Count the deposits of a run that wait for a decision."""
    return len(_Store(run.folder / _FOLDER).names())


def held_deposits(run: Run) -> dict[str, tuple[str, dict[str, str]]]:
    """Return the session and the recruiter's fields of each deposit that was set aside, by its name."""
    held: dict[str, tuple[str, dict[str, str]]] = {}
    for name, text in _Store(run.folder / _FOLDER).texts():
        try:
            result = _read(text)
            held[name] = (result.session_id, fields_from(result.recruiter))  # type: ignore[arg-type]
        except (Refusal, UnderstudyError):
            continue
    return held


def forget_deposits(run: Run, names: Sequence[str]) -> None:
    """Delete deposits that were set aside."""
    for name in names:
        _Store(run.folder / _FOLDER).drop(name)


class WaitingDeposits:
    """The deposits of a run that is served meanwhile: its server lists and decides, since only one process may write."""

    def __init__(self, run: Run, log: Log) -> None:
        self._run, self._log = run, log
        self._lock = Lock()

    def count(self) -> int:
        """Count the deposits that wait."""
        return n_set_aside(self._run)

    def waiting(self, keyring: Keyring) -> tuple[Deposit, ...]:
        """Return the deposits that wait and what speaks against each; nothing is changed."""
        with self._lock:
            intake = self._intake(keyring)
            faults: list[str] = []
            deposits = list(_sound(intake, _Store(self._run.folder / _FOLDER).texts(), faults))
            doubts = _doubts(intake, deposits)
        found = [
            Deposit(name=each.name, n_answers=_n_answers(each), reasons=tuple(doubts[each.result.session_id]))
            for each in deposits
        ]
        return tuple(sorted(found, key=lambda each: each.name))

    def decide(self, keyring: Keyring, name: str, *, is_taken: bool) -> None:
        """Take or delete a deposit; raise UnderstudyError if it does not wait or does not fit what was taken before."""
        decisions = Decisions(takes=(name,)) if is_taken else Decisions(drops=(name,))
        with self._lock:
            faults = imported(self._intake(keyring), (), decisions).faults
        if any(fault.startswith(name) for fault in faults):
            raise UnderstudyError(" ".join(fault for fault in faults if fault.startswith(name)))

    def _intake(self, keyring: Keyring) -> "Intake":
        return Intake(self._run, self._log, lambda: keyring, now_ms())


def _n_answers(deposit: "_Deposit") -> int:
    return sum(isinstance(event, ResponseGiven) for event in deposit.sent)


class _Store:
    """Deposits that are set aside: files next to the log, which only the owner can read."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def names(self) -> list[str]:
        return sorted(path.stem for path in self._folder.glob("*.json"))

    def texts(self) -> Iterator[tuple[str, bytes]]:
        for name in self.names():
            yield name, (self._folder / f"{name}.json").read_bytes()

    def keep(self, name: str, text: bytes) -> None:
        self._folder.mkdir(mode=0o700, exist_ok=True)
        # Written at once or not at all, since a file that was cut off could not be read again.
        draft = self._folder / f"{name}.part"
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as stream:
            stream.write(text)
        draft.replace(self._folder / f"{name}.json")

    def drop(self, name: str) -> None:
        (self._folder / f"{name}.json").unlink(missing_ok=True)


class Intake:
    """The run that deposits are for: its places, its log, and the time."""

    def __init__(self, run: Run, log: Log, keyring: Callable[[], Keyring], at_ms: int) -> None:
        self.run, self.log, self.at_ms = run, log, at_ms
        self._keyring = keyring
        self.places: Places = places_of(run)
        self.known = {summary.session_id: summary for summary in log.summaries(run.script.study.name)}

    def person_of(self, result: ResultFile, fields: dict[str, str]) -> str:
        """Return the pseudonym of a deposit's person."""
        recruiter_id = recruiter_id_of(fields)
        return self._keyring().participant_id(recruiter_id) if recruiter_id else f"p-{result.session_id}"

    def has_departed(self, person: str) -> bool:
        """Tell whether somebody erased an earlier session and may not come again."""
        study = self.run.script.study
        path = self.run.folder / "people.sqlite"
        if study.access.restart_after_erasing or not path.exists():
            return False
        return MarksFile(path).has_departed(self._keyring().departure_mark(study.name, person))

    def times_of(self, deposit: _Deposit) -> list[int]:
        """Return when a session began, each of its events was, and when its person withdrew, as the log has it.

        Small errors of a clock move the whole session between export and now. A clock that was far off says nothing about
        when a session was: its steps keep their length, within reason, and it ends now, when somebody decided to take it.
        """
        claimed, name = _claimed_ms(deposit), deposit.result.session_id
        if name in self.known:
            stored = {event.seq: event.at_ms for event in self.log.session(name) if event.stream == "page"}
            held = [self.known[name].started_ms, *(stored[seq] for seq in sorted(stored))][: len(claimed)]
            return [*held, *(held[-1] + at_ms - claimed[len(held) - 1] for at_ms in claimed[len(held) :])]
        shift = max(min(0, self.at_ms - max(claimed)), self.places.made_ms.get(deposit.result.place, 0) - claimed[0])
        if abs(shift) <= _ALLOWANCE_MS and min(claimed) >= claimed[0] - _ALLOWANCE_MS:
            return [at_ms + shift for at_ms in claimed]
        steps = [min(max(after - before, 0), _ALLOWANCE_MS) for before, after in pairwise(claimed)]
        return [self.at_ms - sum(steps[k:]) for k in range(len(claimed))]

    def take(self, deposit: _Deposit, *, is_decided: bool) -> tuple[Literal["new", "longer", "known"], str]:
        """Append a session as a server would have stored it."""
        run, result = self.run, deposit.result
        rival = self.log.session_of(run.script.study.name, deposit.person)
        if is_decided and rival not in (None, result.session_id):
            # Two sessions of one person may both be taken; the log knows each under a pseudonym of its own.
            deposit = deposit._replace(person=f"p-{result.session_id}", fields={})
        live, events = replayed(self, deposit)
        # Asked before appending, since appending makes every session known.
        was_known = bool(self.log.last_seq(result.session_id, "engine"))
        n_new = self.log.append(events)
        if deposit.fields and not was_known:
            People(run.folder / "people.sqlite").remember(deposit.person, deposit.fields)
        kind: Literal["new", "longer", "known"] = ("longer" if n_new else "known") if was_known else "new"
        return kind, live.session.outcome or "unfinished"


def replayed(intake: Intake, deposit: _Deposit) -> tuple[Live, list[Event]]:
    """Replay the session event by event and return all events that a server would have stored."""
    run, result = intake.run, deposit.result
    times = iter(intake.times_of(deposit))
    started = SessionStarted(
        session_id=result.session_id, seq=1, at_ms=next(times), study_name=run.script.study.name,
        study_digest=run.script.digest, participant_id=deposit.person, participant_kind="person",
        assignment=intake.places.places[result.place],
    )  # fmt: skip
    live = opening(run.script, started, intake.places.names_of(result.place, run.script.blocks))
    stored: list[Event] = [started]
    for received in deposit.sent:
        event = live.read(received).model_copy(update={"at_ms": next(times)})
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
            session_id=result.session_id, seq=live.engine_seq + 1, at_ms=next(times), outcome="withdrew",
            reason="Withdrew at their own wish.",
        )  # fmt: skip
        live.take(ended)
        stored.append(ended)
    return live, stored


def _sound(intake: Intake, texts: Iterator[tuple[str, bytes]], faults: list[str]) -> Iterator[_Deposit]:
    """Yield the deposits that a page of this export could have made; the others become faults."""
    for label, text in texts:
        try:
            result = _read(text)
            _check_belonging(intake, result)
            fields = fields_from(result.recruiter)  # type: ignore[arg-type]
            person = intake.person_of(result, fields)
            _check_first_time(intake, person)
            sent = json.dumps({"events": result.events}).encode()
            events = events_from_body(sent, result.session_id, _MOST_EVENTS) if result.events else ()
            deposit = _Deposit(
                f"{result.session_id}.{sha256(text).hexdigest()[:8]}",
                label,
                text,
                result,
                person,
                fields,
                tuple(events),
            )
            replayed(intake, deposit)
        except (Refusal, UnderstudyError) as error:
            faults.append(f"{label}: {_safe(str(error))}")
            continue
        yield deposit


def _doubts(intake: Intake, deposits: Sequence[_Deposit]) -> dict[str, list[str]]:
    """Return the reasons to set each session aside; none where there are none."""
    longest: dict[str, _Deposit] = {}
    doubts: dict[str, list[str]] = defaultdict(list)
    for deposit in sorted(deposits, key=lambda each: (len(each.sent), each.name)):
        name = deposit.result.session_id
        before = longest.get(name)
        if before is not None and not _continues(before, deposit) and not doubts[name] and name not in intake.known:
            doubts[name].append("Two files of this session say different things.")
        longest[name] = deposit
    new = {name: deposit for name, deposit in longest.items() if name not in intake.known}
    people = defaultdict[str, set[str]](set)
    copies = Copies()
    for name, summary in intake.known.items():
        people[summary.participant_id].add(name)
    if new:
        for events in intake.log.sessions(intake.run.script.study.name):
            copies.note(events[0].session_id, events)
    for name, deposit in new.items():
        people[deposit.person].add(name)
        copies.note(name, deposit.sent)
    for name, deposit in new.items():
        result, made_ms = deposit.result, intake.places.made_ms.get(deposit.result.place, 0)
        first_ms, last_ms = min(_claimed_ms(deposit)), max(_claimed_ms(deposit))
        if first_ms < max(made_ms, result.started_ms) - _ALLOWANCE_MS or first_ms < 0:
            since = (
                f"its pages were exported at {_when(made_ms)}" if made_ms else f"it began at {_when(result.started_ms)}"
            )
            doubts[name].append(f"Its clock was at {_when(first_ms)}, and {since}.")
        if last_ms > intake.at_ms + _ALLOWANCE_MS:
            doubts[name].append(f"Its clock was at {_when(last_ms)}, and it is {_when(intake.at_ms)}.")
        if intake.has_departed(deposit.person):
            doubts[name].append("Its participant erased an earlier session and may not take part again.")
    for group in people.values():
        for name in group & new.keys() if len(group) > 1 else ():
            doubts[name].append(f"Its participant is also that of {named(sorted(group - {name}))}.")
    for name in new:
        doubts[name] += copies.sentences(name)
    _note_crowd(intake, new, doubts)
    return doubts


def _note_crowd(intake: Intake, new: dict[str, _Deposit], doubts: dict[str, list[str]]) -> None:
    """Set deposits of places that were drawn more than once aside, where more people come than there are places."""
    n_places = len(intake.places.places)
    if len(intake.known) + len(new) <= n_places:
        return
    held = Counter(deposit.result.place for deposit in new.values())
    arrivals = {assignment.arrival: name for name, assignment in intake.places.places.items()}
    held.update(arrivals.get(summary.assignment.arrival, "") for summary in intake.known.values())
    for name, deposit in new.items():
        if held[deposit.result.place] > 1:
            doubts[name].append(
                f"More people say that they took part than there are places ({n_places}), and its place was taken "
                f"{held[deposit.result.place]} times."
            )


def _continues(before: _Deposit, after: _Deposit) -> bool:
    """Tell whether a file holds all that another file of the same session holds."""
    same_head = before.result.model_copy(update={"events": [], "withdrew_ms": None}) == after.result.model_copy(
        update={"events": [], "withdrew_ms": None}
    )
    return same_head and after.sent[: len(before.sent)] == before.sent


def _claimed_ms(deposit: _Deposit) -> list[int]:
    """Return all times that a deposit claims, in milliseconds since 1970."""
    withdrew = [] if deposit.result.withdrew_ms is None else [deposit.result.withdrew_ms]
    return [deposit.result.started_ms, *(event.at_ms for event in deposit.sent), *withdrew]


def _when(at_ms: int) -> str:
    """Return a time in words, also one that no calendar has."""
    try:
        return f"{datetime.fromtimestamp(at_ms / 1000, UTC):%Y-%m-%d %H:%M} UTC"
    except (ValueError, OverflowError, OSError):
        return f"{at_ms} ms, which no calendar has"


def _check_belonging(intake: Intake, result: ResultFile) -> None:
    run = intake.run
    study = run.script.study
    if result.study_name != study.name:
        raise LogError(f"It is of the study {result.study_name!r}, but {run.folder} holds {study.name!r}.")
    if result.study_digest != run.script.digest:
        raise LogError(
            f"It is of another version of {study.name!r} ({result.study_digest[:12]}) than the one in {run.folder} "
            f"({run.script.digest[:12]}); collect it into the run it was exported from."
        )
    if result.place not in intake.places.places:
        raise LogError(f"The place {result.place!r} was not drawn from {run.folder}; collect it where it was exported.")


def _check_first_time(intake: Intake, person: str) -> None:
    for other in intake.run.script.study.refuses_people_of:
        if intake.log.session_of(other, person) is not None:
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
