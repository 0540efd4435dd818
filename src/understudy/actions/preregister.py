"""Enter a frozen study and the looks of a sequential one in the log of the run, and tell later when that was."""

from collections.abc import Iterator, Sequence
from datetime import datetime

import pandas as pd

from understudy.actions.run_folder import Run, losses_in
from understudy.conduct.copies import copies_in
from understudy.errors import UnderstudyError
from understudy.estimate.study_findings import NO_ENTRY, RegistrationRecord, look_members
from understudy.record import RecordedLook
from understudy.report import Freeze
from understudy.schema import Registration, utc_second
from understudy.schema.log_entries import DeskAction


def register(run: Run, frozen: Freeze) -> Registration:
    """Enter a freeze in the log of a run."""
    study = run.script.study
    if study.pilot_of is not None:
        raise UnderstudyError(
            f"{run.folder} is the pilot of {study.pilot_of!r}, and a pilot is not registered; register the study itself."
        )
    if frozen.study_digest != run.script.digest:
        raise UnderstudyError(
            f"{run.folder} holds version {run.script.digest[:12]} of {study.name!r}, and {frozen.study_digest[:12]} was "
            "frozen. Prepare the frozen study in another folder, and enter the freeze there."
        )
    if frozen.frozen_at is None:
        raise UnderstudyError(
            "This preregistration of an earlier version holds only the day of its freeze. Freeze the study again into "
            "another folder, which stores the second, and enter that one."
        )
    entry = Registration(
        study_name=study.name,
        study_digest=frozen.study_digest,
        plan_digest=frozen.plan_digest,
        frozen_at=frozen.frozen_at,
        # The log sets both when it takes the entry.
        entered_ms=0,
        n_sessions_before=0,
        registry_link=frozen.registry_link,
        timestamp_token=frozen.timestamp_token,
    )
    with run.open_log() as log:
        return log.register(entry)


def registration_record(run: Run, frozen: Freeze | None) -> RegistrationRecord:
    """Hold the entries of a run's log, and a freeze if there is one, against its first session."""
    digest = run.script.digest
    with run.open_log() as log:
        entries = log.registrations(run.script.study.name)
        losses = (*losses_in(log), *copies_in(log.sessions(run.script.study.name, synthetic=False)))
        steering = tuple(map(_steered, log.steering(run.script.study.name)))
        sequential = run.script.study.plan.sequential
        if sequential is not None:
            steering += tuple(_look_sentences(log.looks(run.script.study.name), len(sequential.looks)))
        first_ms = min(
            (
                summary.started_ms
                for summary in log.summaries(run.script.study.name)
                if summary.participant_kind == "person" and summary.study_digest == digest
            ),
            default=None,
        )
    own = [entry for entry in entries if entry.study_digest == digest]
    late = _late_file(frozen, first_ms) if frozen else ()
    if own:
        # The first entry decides; later ones may only add a link or a token.
        late_entry = _late_entry(own[0], first_ms)
        gap = f"It is not registered. {late_entry}" if late_entry else ""
        # A freeze is often both given and entered; its delay is listed once.
        late = tuple(dict.fromkeys([*late, *([late_entry] if late_entry else [])]))
    else:
        gap = _gap(frozen)
    return RegistrationRecord(entries, _promised(entries, frozen, digest), gap, (*late, *losses), steering)


def recorded_looks(run: Run, sessions: pd.DataFrame, *, opened_by: str = "") -> tuple[RecordedLook, ...]:
    """Return the looks of a sequential study in the log, after entering those that were reached since.

    `opened_by` says who is about to see results: the first time is entered, too.
    """
    study = run.script.study
    if study.plan.sequential is None:
        return ()
    with run.open_log() as log:
        recorded = log.looks(study.name)
        reached = look_members(study.plan, sessions, recorded)
        for number, members in enumerate(reached, start=1):
            log.enter_look(study.name, number, sorted(members))
        if reached and opened_by:
            log.open_look(study.name, len(reached), opened_by)
        return log.looks(study.name)


def _look_sentences(looks: Sequence[RecordedLook], n_looks: int) -> Iterator[str]:
    for look in looks:
        name = f"look {look.number} of {n_looks}"
        when = _clock(utc_second(look.reached_ms))
        yield f"{when}, {name} was reached: its {len(look.marks)} people stay the same when others finish later."
        if look.opened_ms is not None:
            yield f"{_clock(utc_second(look.opened_ms))}, results of {name} were seen for the first time, in {look.opened_by}."


def _steered(action: DeskAction) -> str:
    """Say in a sentence what was done about the running study."""
    deed = {
        "unblinded": "asked for the names of the conditions",
        "recruitment_paused": "paused recruitment",
        "platform_paused": "paused the study at its platform",
    }
    said = deed.get(action.action, "resumed recruitment")
    why = f": {action.reason.rstrip('. ')}" if action.reason else ""
    end = "" if why.endswith(("?", "!", "…")) else "."
    return f"{_clock(utc_second(action.at_ms))}, {action.actor} {said}{why}{end}"


def _promised(entries: Sequence[Registration], frozen: Freeze | None, digest: str) -> str | None:
    if frozen is not None:
        return frozen.study_digest
    if not entries:
        return None
    return digest if any(entry.study_digest == digest for entry in entries) else entries[-1].study_digest


def _gap(frozen: Freeze | None) -> str:
    if frozen is None:
        return NO_ENTRY
    return f"{NO_ENTRY} Only its file says that it was frozen {frozen.when}."


def _late_entry(entry: Registration, first_ms: int | None) -> str:
    if first_ms is not None and entry.frozen_at.timestamp() * 1000 > first_ms:
        return _late(f"The study was frozen at {_clock(entry.frozen_at)}", entry.frozen_at, first_ms)
    if first_ms is not None and entry.entered_ms >= first_ms:
        entered = utc_second(entry.entered_ms)
        return _late(f"The freeze was recorded in the log at {_clock(entered)}", entered, first_ms)
    if entry.n_sessions_before:
        n = entry.n_sessions_before
        return f"When the freeze was entered, the log already held {n} {'session' if n == 1 else 'sessions'} of people."
    return ""


def _late_file(frozen: Freeze, first_ms: int | None) -> tuple[str, ...]:
    if first_ms is None:
        return ()
    first = utc_second(first_ms)
    if frozen.frozen_at is None:
        if frozen.frozen_on <= first.date():
            return ()
        return (f"The study was frozen on {frozen.frozen_on}, after the first participant came on {first.date()}.",)
    if frozen.frozen_at.timestamp() * 1000 <= first_ms:
        return ()
    return (_late(f"The study was frozen at {_clock(frozen.frozen_at)}", frozen.frozen_at, first_ms),)


def _late(what: str, when: datetime, first_ms: int) -> str:
    first = utc_second(first_ms)
    return f"{what}, {_span(int((when - first).total_seconds()))} after the first participant came at {_clock(first)}."


def _clock(when: datetime) -> str:
    return f"{when:%Y-%m-%d %H:%M:%S} UTC"


def _span(seconds: int) -> str:
    """Return a length of time to the second.

    >>> _span(1), _span(7384)
    ('1 s', '2 h 3 min 4 s')
    """
    minutes, rest = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    parts = [(hours, "h"), (minutes, "min"), (rest, "s")]
    return " ".join(f"{n} {unit}" for n, unit in parts if n) or "less than 1 s"
