"""One person: a copy of everything that a run holds about them, and erasing it, as their right is."""

import os
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import NamedTuple

from understudy.actions.access import keyring_of
from understudy.actions.deposits import forget_deposits, held_deposits
from understudy.actions.run_folder import Run, only_writer
from understudy.actions.serve import forget_copies, require_named_by
from understudy.errors import UnderstudyError
from understudy.record import Log, RecordedPart, parts_in, session_hash
from understudy.recruiters import recruiter_id_of, without_unseen
from understudy.schema import Event, SessionStarted
from understudy.serve.access import Keyring
from understudy.serve.own_data import Stored, own_archive, pay_told
from understudy.serve.own_data import words_of as words_in
from understudy.serve.people import People, marks_of
from understudy.serve.wire import PLAIN


class Person(NamedTuple):
    """Somebody a run knows: by the log, by deposits that were set aside, or both."""

    session_id: str
    participant_id: str
    fields: Mapping[str, str]
    events: tuple[Event, ...]
    """Empty for people who are known by a deposit only."""
    deposits: tuple[str, ...]
    """Names of deposits that were set aside."""


class Erased(NamedTuple):
    """What was erased, and what remains that this program cannot reach or must keep."""

    session_id: str
    changed: tuple[str, ...]
    n_deposits: int
    remains: tuple[str, ...]


def keyring_for(folder: Path, secret_file: Path | None = None) -> Callable[[], Keyring]:
    """Return what makes the keyring of a run's server when it is needed; another secret would find nobody."""

    def keyring() -> Keyring:
        found = keyring_of(folder, os.environ, secret_file)
        require_named_by(found, [folder / "people.sqlite"])
        return found

    return keyring


def person_of(run: Run, log: Log, who: str, keyring: Callable[[], Keyring], *, is_session: bool) -> Person:
    """Find somebody by the id that their recruiter gave them, or by their session."""
    name, study = without_unseen(who), run.script.study
    deposits = held_deposits(run)
    if is_session:
        known = next((found for found in log.summaries(study.name) if found.session_id == name), None)
        session_id, pseudonym = name, known.participant_id if known is not None else f"p-{name}"
    else:
        pseudonym = keyring().participant_id(name)
        session_id = log.session_of(study.name, pseudonym) or ""
        known = next((found for found in log.summaries(study.name) if found.session_id == session_id), None)
    theirs = tuple(
        each
        for each, (session, fields) in deposits.items()
        if session == session_id or (not is_session and recruiter_id_of(fields) == name)
    )
    if known is None and not theirs:
        what = "session" if is_session else "id"
        other = (
            "its recruiter's id, without --session"
            if is_session
            else "the session: understudy person RUN SESSION --session"
        )
        raise UnderstudyError(
            f"{run.folder} holds nobody with the {what} {who!r}. Check it, or name the person by {other}. "
            "Somebody who was erased is not known any more."
        )
    fields = _fields_of(run, log, pseudonym)
    if known is None:
        session, given = deposits[theirs[0]]
        return Person(session, pseudonym, fields or given, (), theirs)
    return Person(session_id, pseudonym, fields, log.session(session_id), theirs)


def recordings_of(person: Person) -> tuple[RecordedPart, ...]:
    """Return the audio files of somebody."""
    return parts_in(person.events)


def copy_of(run: Run, person: Person, keyring: Callable[[], Keyring]) -> bytes:
    """Return the ZIP file that a person gets: a page, the same as JSON, and their recordings."""
    if not person.events:
        raise UnderstudyError(
            f"{person.session_id} is known by a deposit that was set aside only; the copy is the file {person.deposits[0]}.json "
            f"in {run.folder / 'set-aside'}."
        )
    started = person.events[0]
    is_person = isinstance(started, SessionStarted) and started.participant_kind == "person"
    names = keyring().wire_names(person.session_id, run.script.blocks) if is_person and person.fields else PLAIN
    return own_archive(
        Stored(
            run.script,
            person.events,
            names,
            person.fields,
            run.recordings.read,
            pay_told(run.script.study, person.events),
        ),
        for_researchers=True,
    )


def write_copy(run: Run, person: Person, keyring: Callable[[], Keyring], path: Path) -> None:
    """Write the copy of a person into a new file that its owner alone can read."""
    if path.exists():
        raise UnderstudyError(f"{path} exists; give the copy another name, so that nothing is overwritten.")
    content = copy_of(run, person, keyring)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as stream:
        stream.write(content)


def erase(run: Run, log: Log, person: Person, keyring: Callable[[], Keyring]) -> Erased:
    """Erase somebody: log, ids, recordings, lists, reports, archives and deposits; once begun, it can be repeated."""
    study, people = run.script.study, run.folder / "people.sqlite"
    words = words_in(person.session_id, person.participant_id, person.fields, person.events)
    n_paid = sum(entry.session_hash == session_hash(person.session_id) for entry in log.payments(study.name))
    # Servers on a shared database hear of it from the log; a file has one writer.
    with nullcontext() if log.is_shared else only_writer(run):
        # Also for people without an id: their result file could be collected once more.
        if not study.access.restart_after_erasing:
            marks = marks_of(log, people)
            marks.enter_departure(keyring().departure_mark(study.name, person.participant_id))
        if not log.is_shared and people.exists():
            People(people).forget(person.participant_id)
        run.recordings.forget(person.session_id)
        if person.events:
            log.erase(person.session_id)
        forget_deposits(run, person.deposits)
        changed = forget_copies(run.folder, study.name, words)
    return Erased(
        person.session_id, changed.changed, len(person.deposits), tuple(_remains(run, n_paid, changed.unread))
    )


def _remains(run: Run, n_paid: int, unread: tuple[str, ...]) -> list[str]:
    said = [
        "Backups that were made before still hold this person: make a new one (understudy backup) and delete the old ones.",
        "The count: that somebody was in this condition and left, without id, answers or times.",
    ]
    if n_paid:
        steps = "1 step" if n_paid == 1 else f"{n_paid} steps"
        said.append(
            f"The pay ledger: {steps} with amount and date under a mark that leads to nobody, as records of payments that the law "
            "asks for. Lists that you sent away, and what the recruiter and your bank keep, are not here."
        )
    said += [f"Not looked into: {name}; look at it yourself." for name in unread]
    if (run.folder / "pilot").is_dir():
        said.append(f"The pilot is a run of its own; see: understudy person {run.folder / 'pilot'}")
    said.append(
        "Copies outside the run folder: archives and reports that you downloaded, and result files that were sent to you."
    )
    return said


def _fields_of(run: Run, log: Log, participant_id: str) -> dict[str, str]:
    if log.is_shared:
        return log.recruiter_fields(run.script.study.name, participant_id)
    path = run.folder / "people.sqlite"
    return People(path).fields_of(participant_id) if path.exists() else {}
