"""The append-only event log: SQLite by default, PostgreSQL by URL."""

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType

from sqlalchemy import Connection, insert, select, text

from understudy.errors import LogError
from understudy.record import chain, queries, shared
from understudy.record.accounts import Desk, shared_desk
from understudy.record.append import AppendTransaction
from understudy.record.copies import Mark, copy_rows, copy_sqlite, holds_mark, last_mark
from understudy.record.database import Database, connect, reading, writing
from understudy.record.encoding import Batch, EncodedEvent, encode_events
from understudy.record.erasure import Remains, erase_session, finish_erasures, remains_in
from understudy.record.journals import (
    RecordedLook,
    book_changes_of,
    desk_actions_of,
    desk_events_since,
    enter_book_change,
    enter_desk_action,
    enter_look,
    enter_payments,
    enter_registration,
    is_recruitment_paused,
    looks_of,
    open_look,
    payments_of,
    registrations_of,
    steering_of,
)
from understudy.record.queries import (
    Changes,
    ProgressEvents,
    SessionSummary,
    Tombstone,
    changes_since,
    log_state,
    progress_events,
)
from understudy.record.run_folder import Acknowledged
from understudy.record.tables import losses
from understudy.record.versions import bring_up_to_date
from understudy.schema import Event, Registration, Stream
from understudy.schema.annotation import BookEntry
from understudy.schema.log_entries import DeskAction, PayEntry

_WAIT_MS = 10_000


def now_ms() -> int:
    """Return milliseconds since 1970 by this machine's clock."""
    return time.time_ns() // 1_000_000


def open_log(
    path_or_url: str | Path,
    *,
    wait_ms: int = _WAIT_MS,
    clock: Callable[[], int] = now_ms,
    acknowledged: Path | None = None,
) -> "Log":
    """Open the log at a path or URL, creating or migrating it as needed.

    `wait_ms` is how long a writer waits for another one, in this process or in another. `acknowledged` is the file in which
    this machine remembers what a log in PostgreSQL has acknowledged; an SQLite log has its own next to it.
    """
    database = connect(path_or_url, wait_ms=wait_ms)
    if database.engine.dialect.name == "sqlite":
        acknowledged = Path(f"{database.label}-acknowledged")
    if acknowledged is not None:
        database = database._replace(acknowledged=Acknowledged(acknowledged))
    try:
        bring_up_to_date(database, wait_ms=wait_ms)
    except LogError:
        database.engine.dispose()
        raise
    return Log(database, clock)


class Log(AbstractContextManager["Log"]):
    """Events of sessions: appended, read, and never edited. Threads may share it."""

    def __init__(self, database: Database, clock: Callable[[], int]) -> None:
        self._database = database
        self._clock = clock

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the database."""
        self.close()

    def close(self) -> None:
        """Close the database."""
        self._database.engine.dispose()
        if self._database.acknowledged is not None:
            self._database.acknowledged.close()

    @property
    def is_shared(self) -> bool:
        """Whether other processes and machines may write to the same log."""
        return self._database.engine.dialect.name == "postgresql"

    @property
    def label(self) -> str:
        """The path or URL of the log, without a password."""
        return self._database.label

    def desk(self) -> Desk:
        """Return the accounts and sign-ins of researchers that all processes on a shared log have in common."""
        return shared_desk(self._database)

    def append(self, events: Sequence[Event]) -> int:
        """Make events durable, all or none, and return how many were new; a resent event counts as old."""
        return self.append_encoded(encode_events(events))

    def append_encoded(self, lines: Sequence[EncodedEvent]) -> int:
        """Append events that are already encoded."""
        outcome = self.append_each([Batch(tuple(lines))])[0]
        if isinstance(outcome, LogError):
            raise outcome
        return outcome

    def append_each(self, batches: Sequence[Batch]) -> list[int | LogError]:
        """Append several batches with one commit; a rejected batch gets its error and does not affect the others."""
        with writing(self._database, is_counted=False) as connection:
            intake = AppendTransaction(connection)
            if len(batches) > 1:
                intake.read_ahead(batches)
            outcomes = [_outcome_of(intake, batch) for batch in batches]
            intake.write()
        intake.note_in(self._database)
        return outcomes

    def sessions(self, study_name: str | None = None, *, synthetic: bool | None = None) -> Iterator[tuple[Event, ...]]:
        """Yield whole sessions in order of start, as the log is when the first one is read.

        Sessions that cannot be read are left out, so that one of them never keeps the others from being reported or paid;
        `unreadable` names them.
        """
        with reading(self._database) as connection:
            for found in queries.whole_sessions(
                connection, self._database.label, study_name=study_name, synthetic=synthetic
            ):
                if not isinstance(found, queries.Unreadable):
                    yield found

    def unreadable(self, study_name: str | None = None) -> tuple[queries.Unreadable, ...]:
        """Return the sessions that cannot be read, and why."""
        with reading(self._database) as connection:
            found = queries.whole_sessions(connection, self._database.label, study_name=study_name, synthetic=None)
            return tuple(each for each in found if isinstance(each, queries.Unreadable))

    def recorded(self, study_name: str) -> tuple[Event, ...]:
        """Return every event that names a recording, session by session, without reading the others."""
        with reading(self._database) as connection:
            return queries.recorder_events(connection, self._database.label, study_name)

    def session(self, session_id: str) -> tuple[Event, ...]:
        """Return the events of one session in the order of commitment."""
        with reading(self._database) as connection:
            return queries.session_events(connection, self._database.label, session_id)

    def session_since(self, session_id: str, known: Mapping[str, int]) -> tuple[Event, ...]:
        """Return the events of a session after the numbers that are known, given by stream."""
        with reading(self._database) as connection:
            return queries.session_events(connection, self._database.label, session_id, known)

    def last_seq(self, session_id: str, stream: Stream) -> int:
        """Return the highest number a stream of a session has reached, 0 before its first event."""
        with reading(self._database) as connection:
            return queries.last_seq(connection, session_id, stream)

    def session_of(self, study_name: str, participant_id: str) -> str | None:
        """Return the session a participant has in a study, None for a newcomer."""
        with reading(self._database) as connection:
            return queries.session_of(connection, study_name, participant_id)

    def summary_of(self, study_name: str, participant_id: str) -> SessionSummary | None:
        """Return the summary of the session that a participant has in a study, or None."""
        with reading(self._database) as connection:
            return queries.summary_of(connection, study_name, participant_id)

    def summaries(self, study_name: str) -> Iterator[SessionSummary]:
        """Yield a summary of each session of a study in order of start, without reading its events."""
        with reading(self._database) as connection:
            yield from queries.session_summaries(connection, study_name)

    def changes(self, study_name: str, position: int) -> Changes:
        """Return what has changed in the sessions of a study after a position; 0 returns everything."""
        with reading(self._database) as connection:
            return changes_since(connection, self._database.label, study_name, position)

    def state(self, study_name: str) -> str:
        """Return a text that changes whenever anything is appended, erased or registered."""
        with reading(self._database) as connection:
            return log_state(connection, study_name)

    def count_sessions(self, study_name: str) -> int:
        """Count the sessions of a study."""
        with reading(self._database) as connection:
            return queries.session_count(connection, study_name)

    def count_events(self) -> int:
        """Count the events in the log."""
        with reading(self._database) as connection:
            return queries.event_count(connection)

    def check_writable(self) -> None:
        """Raise LogError when the log cannot be written, found out by a write that changes nothing."""
        with writing(self._database) as connection:
            if connection.dialect.name == "sqlite":
                # A lock alone says nothing about the disk; setting a number to what it is writes a page.
                version = connection.exec_driver_sql("PRAGMA user_version").scalar_one()
                connection.exec_driver_sql(f"PRAGMA user_version = {int(version)}")
            else:
                # The same row again: a version of it has to be stored, and the write-ahead log with it.
                shared.touch(connection)

    def erase(self, session_id: str) -> None:
        """Delete every row of a session on request of its participant, and leave a tombstone for the counts."""
        erase_session(self._database, session_id, self._clock())

    def finish_erasures(self) -> None:
        """Remove the bytes of erased sessions from the files, where a reader or a crash prevented it so far."""
        finish_erasures(self._database)

    def remains(self) -> Remains | None:
        """Say where a PostgreSQL server may keep what was erased; None for a file."""
        return remains_in(self._database) if self.is_shared else None

    def tombstones(self, study_name: str) -> tuple[Tombstone, ...]:
        """Return what is left of the erased sessions of a study, in order of erasure."""
        with reading(self._database) as connection:
            return queries.tombstones_of(connection, study_name)

    def register(self, registration: Registration) -> Registration:
        """Enter a frozen study; return the entry with the log's own time and the number of people who had come."""
        with writing(self._database) as connection:
            return enter_registration(connection, registration, self._clock())

    def registrations(self, study_name: str) -> tuple[Registration, ...]:
        """Return the entries of a study, oldest first."""
        with reading(self._database) as connection:
            return registrations_of(connection, study_name)

    def enter_desk_action(self, action: DeskAction) -> None:
        """Enter what a researcher did."""
        with writing(self._database) as connection:
            enter_desk_action(connection, action)

    def desk_actions(self, study_name: str, limit: int = 200) -> tuple[DeskAction, ...]:
        """Return what researchers did last, newest first."""
        with reading(self._database) as connection:
            return desk_actions_of(connection, study_name, limit)

    def desk_events(self, study_name: str, position: int = 0) -> tuple[int, tuple[Event, ...]]:
        """Return what was said about sessions at the desk after a position, and the position to go on from."""
        with reading(self._database) as connection:
            return desk_events_since(connection, self._database.label, study_name, position)

    def enter_book_change(self, entry: BookEntry) -> None:
        """Enter a change of a code book; raise LogError if somebody else has changed it meanwhile."""
        with writing(self._database) as connection:
            enter_book_change(connection, entry)

    def book_changes(self, study_name: str) -> tuple[BookEntry, ...]:
        """Return every change of the code books of a study, oldest first."""
        with reading(self._database) as connection:
            return book_changes_of(connection, study_name)

    def steering(self, study_name: str) -> tuple[DeskAction, ...]:
        """Return every pause, resumption and unblinding of a study, oldest first."""
        with reading(self._database) as connection:
            return steering_of(connection, study_name)

    def enter_look(self, study_name: str, number: int, members: Collection[str]) -> None:
        """Enter which sessions belong to a look of a sequential study; only the first entry about a look counts."""
        at_ms = self.time_ms()
        with writing(self._database) as connection:
            enter_look(connection, study_name, number, at_ms, members)

    def open_look(self, study_name: str, number: int, who: str) -> None:
        """Enter that somebody saw the results of a look, if nobody has before."""
        at_ms = self.time_ms()
        with writing(self._database) as connection:
            open_look(connection, study_name, number, at_ms, who)

    def looks(self, study_name: str) -> tuple[RecordedLook, ...]:
        """Return the looks of a sequential study that were reached, first one first."""
        with reading(self._database) as connection:
            return looks_of(connection, study_name)

    def is_paused(self, study_name: str) -> bool:
        """Tell whether researchers have paused recruitment."""
        with reading(self._database) as connection:
            return is_recruitment_paused(connection, study_name)

    def enter_payments(self, entries: Sequence[PayEntry]) -> None:
        """Add steps of payments, all or none; raise LogError if another program has added steps meanwhile."""
        with writing(self._database) as connection:
            enter_payments(connection, entries)

    def payments(self, study_name: str) -> tuple[PayEntry, ...]:
        """Return every step of every payment of a study, in the order of entry."""
        with reading(self._database) as connection:
            return payments_of(connection, study_name)

    def last_position(self) -> int:
        """Return the position of the newest event, 0 in an empty log."""
        with reading(self._database) as connection:
            return shared.last_position(connection)

    def news(self, study_name: str, since: int) -> shared.News:
        """Return what any process stored of a study after a position."""
        with reading(self._database) as connection:
            return shared.read_news(connection, self._database.label, study_name, since)

    def progress_events(self, study_name: str, since: int, limit: int) -> ProgressEvents:
        """Return what monitoring needs of the events after a position, at most `limit` of them."""
        with reading(self._database) as connection:
            return progress_events(connection, study_name, since, limit)

    def arrival_turn(self, asked: shared.Asked) -> shared.ArrivalTurn:
        """Wait until no other process decides on arrivals, and keep them waiting until the turn is ended."""
        return shared.ArrivalTurn(self._database, asked)

    def recruiter_fields(self, study_name: str, participant_id: str) -> dict[str, str]:
        """Return what a recruiter sent with a participant of a shared log; empty for people without a recruiter."""
        with reading(self._database) as connection:
            return shared.fields_of(connection, study_name, participant_id)

    def people(self, study_name: str) -> dict[str, dict[str, str]]:
        """Return what a recruiter sent with each participant of a shared log, by pseudonym."""
        with reading(self._database) as connection:
            return shared.people_of(connection, study_name)

    def enter_people(self, study_name: str, fields: Mapping[str, Mapping[str, str]]) -> None:
        """Store what a recruiter sent with participants whom a shared log does not know by their ids yet."""
        with writing(self._database) as connection:
            shared.enter_people(connection, study_name, fields)

    def enter_departure(self, mark: str) -> None:
        """Remember, for all processes on a shared log, the mark of somebody who erased their data."""
        with writing(self._database) as connection:
            shared.enter_departure(connection, mark)

    def has_departed(self, mark: str) -> bool:
        """Tell whether somebody with this mark erased their data, in whichever process."""
        with reading(self._database) as connection:
            return shared.has_departed(connection, mark)

    def agreed(self, name: str, value: str) -> str:
        """Return what all processes on this log have agreed on under a name; the first one that asks decides."""
        with writing(self._database) as connection:
            return shared.agreed_value(connection, name, value)

    def claim(self, name: str, lease_ms: int) -> bool:
        """Take something that one of several processes on this log should do, such as telling an alert."""
        now_ms = self.time_ms()
        with writing(self._database) as connection:
            return shared.claim(connection, name, now_ms, lease_ms)

    def time_ms(self) -> int:
        """Return the time by the clock that all processes on this log share."""
        if not self.is_shared:
            return self._clock()
        with reading(self._database) as connection:
            return int(connection.execute(text("SELECT extract(epoch FROM clock_timestamp()) * 1000")).scalar_one())

    def damage(self) -> chain.Damage | None:
        """Check every event against the chain of digests and what was acknowledged; None if nothing is missing or changed."""
        with reading(self._database) as connection:
            return self._damage_in(connection)

    def _damage_in(self, connection: Connection) -> chain.Damage | None:
        acknowledged = self._database.acknowledged
        missing = None if acknowledged is None else chain.missing_in(connection, acknowledged)
        return chain.both(chain.damage_in(connection), missing)

    def remember_acknowledged(self) -> None:
        """Begin to remember outside the log what it holds, where nobody has yet; call it before people are served."""
        acknowledged = self._database.acknowledged
        if acknowledged is not None and not acknowledged.path.exists():
            with reading(self._database) as connection:
                acknowledged.begin_anew(chain.reached_in(connection), chain.totals_in(connection))

    def mark(self) -> Mark | None:
        """Return the newest commit, by which a copy of the log can be recognised; None before the first event."""
        with reading(self._database) as connection:
            return last_mark(connection)

    def holds(self, mark: Mark) -> bool:
        """Tell whether the log has everything that it had at a mark, in the same order."""
        with reading(self._database) as connection:
            return holds_mark(connection, mark)

    def copy_to(self, path: Path) -> None:
        """Copy the log into a new SQLite file while others write; what was acknowledged before is in the copy."""
        if not self.is_shared:
            copy_sqlite(Path(self.label), path)
            return
        path.unlink(missing_ok=True)
        path.touch(mode=0o600)
        self.pour_into(path)

    def pour_into(self, path_or_url: str | Path) -> None:
        """Copy every row into a new log, in this or another kind of database."""
        empty = connect(path_or_url, wait_ms=_WAIT_MS)
        try:
            bring_up_to_date(empty, wait_ms=_WAIT_MS)
            copy_rows(self._database, empty)
        finally:
            empty.engine.dispose()

    def accept_damage(self) -> chain.Damage | None:
        """Go on with what is left: note the damage in the log, start the chain anew, and return what was missing."""
        acknowledged = self._database.acknowledged
        with writing(self._database) as connection:
            damage = self._damage_in(connection)
            if damage is None:
                return None
            connection.execute(insert(losses), {"found_ms": self._clock(), "told": damage.told})
            chain.seal_all(connection)
            reached, totals = chain.reached_in(connection), chain.totals_in(connection)
        if acknowledged is not None:
            acknowledged.begin_anew(reached, totals)
        return damage

    def accepted_losses(self) -> tuple[str, ...]:
        """Return every loss that was accepted, in words, oldest first."""
        with reading(self._database) as connection:
            return tuple(connection.execute(select(losses.c.told).order_by(losses.c.number)).scalars())


def _outcome_of(intake: AppendTransaction, batch: Batch) -> int | LogError:
    try:
        return intake.admit(batch)
    except LogError as refusal:
        return refusal
