"""Journals next to the events: registrations, desk actions, payments and code systems."""

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, Select, func, insert, select
from sqlalchemy.exc import IntegrityError

from understudy.errors import LogError
from understudy.record.encoding import event_from_body, session_hash
from understudy.record.shared import last_position
from understudy.record.tables import (
    book_entries,
    desk_actions,
    events,
    pay_entries,
    registrations,
    sessions,
    tombstones,
)
from understudy.schema import Event, Registration
from understudy.schema.annotation import BookEntry
from understudy.schema.log_entries import DeskAction, PayEntry


def enter_book_change(connection: Connection, entry: BookEntry) -> None:
    """Add a change; a number that is taken means that somebody else has just changed the code book."""
    row = {**entry.model_dump(include={"study_name", "seq"}), "body": entry.model_dump_json()}
    try:
        connection.execute(insert(book_entries), row)
    except IntegrityError:
        raise LogError(
            "Somebody else has just changed the code book; look at it again, then repeat your change."
        ) from None


def book_changes_of(connection: Connection, study_name: str) -> tuple[BookEntry, ...]:
    """Return the changes of the code books of a study, oldest first."""
    query = select(book_entries.c.body).where(book_entries.c.study_name == study_name).order_by(book_entries.c.seq)
    return tuple(BookEntry.model_validate_json(body) for body in connection.execute(query).scalars())


def desk_events_since(
    connection: Connection, label: str, study_name: str, position: int
) -> tuple[int, tuple[Event, ...]]:
    """Return what researchers and annotators said about sessions after a position, and the position to go on from."""
    until = max(position, last_position(connection))
    query = select(events.c.body).join(sessions).where(sessions.c.study_name == study_name, events.c.stream == "desk")
    fresh = query.where(events.c.position > position, events.c.position <= until).order_by(events.c.position)
    return until, tuple(event_from_body(body, label) for body in connection.execute(fresh).scalars())


# Desk actions in the log: entered in order, never edited; the last one about recruitment decides whether it is paused.
#
# A look of a sequential study is one as well: who belongs to it is entered when it is reached, because somebody slow who came
# early would otherwise join it later. Its people are named by marks, which tell nothing once a session has been erased.

_RECRUITMENT = ("recruitment_paused", "recruitment_resumed")


def enter_desk_action(connection: Connection, action: DeskAction) -> None:
    """Add an entry."""
    connection.execute(insert(desk_actions), action.model_dump())


def desk_actions_of(connection: Connection, study_name: str, limit: int) -> tuple[DeskAction, ...]:
    """Return the latest entries of a study and of the server as a whole, newest first."""
    query = select(desk_actions).where(desk_actions.c.study_name.in_((study_name, "")))
    return _read(connection, query.order_by(desk_actions.c.number.desc()).limit(limit))


def steering_of(connection: Connection, study_name: str) -> tuple[DeskAction, ...]:
    """Return what changed who may start and who knows the conditions, oldest first."""
    query = select(desk_actions).where(
        desk_actions.c.study_name == study_name,
        desk_actions.c.action.in_((*_RECRUITMENT, "platform_paused", "unblinded")),
    )
    return _read(connection, query.order_by(desk_actions.c.number))


def _read(connection: Connection, query: Select[Any]) -> tuple[DeskAction, ...]:
    fields = DeskAction.model_fields
    return tuple(DeskAction(**{name: getattr(row, name) for name in fields}) for row in connection.execute(query))


def is_recruitment_paused(connection: Connection, study_name: str) -> bool:
    """Tell whether recruitment was paused and not resumed since."""
    query = select(desk_actions.c.action).where(
        desk_actions.c.study_name == study_name, desk_actions.c.action.in_(_RECRUITMENT)
    )
    return connection.execute(query.order_by(desk_actions.c.number.desc()).limit(1)).scalar() == "recruitment_paused"


class RecordedLook(NamedTuple):
    """A look that was reached: when, who belongs to it, and when somebody first saw its results."""

    number: int
    reached_ms: int
    marks: frozenset[str]
    """One for each session, as `look_mark` gives it."""
    opened_ms: int | None = None
    opened_by: str = ""


def look_mark(session_id: str) -> str:
    """Return the one-way mark by which a look names a session."""
    return session_hash(session_id).removeprefix("sha256:")[:16]


def enter_look(connection: Connection, study_name: str, number: int, at_ms: int, members: Collection[str]) -> None:
    """Enter who belongs to a look, once: whatever is entered later about the same look changes nothing."""
    if any(look.number == number for look in looks_of(connection, study_name)):
        return
    marks = " ".join(map(look_mark, members))
    action = DeskAction(
        at_ms=at_ms, study_name=study_name, actor=_look_name(number), action="look_reached", reason=marks
    )
    enter_desk_action(connection, action)


def open_look(connection: Connection, study_name: str, number: int, at_ms: int, who: str) -> None:
    """Enter that somebody saw the results of a look, once."""
    if any(look.number == number and look.opened_ms is not None for look in looks_of(connection, study_name)):
        return
    action = DeskAction(at_ms=at_ms, study_name=study_name, actor=_look_name(number), action="look_opened", reason=who)
    enter_desk_action(connection, action)


def looks_of(connection: Connection, study_name: str) -> tuple[RecordedLook, ...]:
    """Return the looks that were reached, first one first."""
    query = select(desk_actions).where(
        desk_actions.c.study_name == study_name, desk_actions.c.action.in_(("look_reached", "look_opened"))
    )
    looks: dict[int, RecordedLook] = {}
    for action in _read(connection, query.order_by(desk_actions.c.number)):
        number, said = int(action.actor.removeprefix(_LOOK)), action.reason or ""
        if action.action == "look_reached":
            looks.setdefault(number, RecordedLook(number, action.at_ms, frozenset(said.split())))
        elif number in looks and looks[number].opened_ms is None:
            looks[number] = looks[number]._replace(opened_ms=action.at_ms, opened_by=said)
    return tuple(looks[number] for number in sorted(looks))


_LOOK = "look "


def _look_name(number: int) -> str:
    return f"{_LOOK}{number}"


# Payments in the log: each step is numbered within its session, entered once and never edited.


def enter_payments(connection: Connection, entries: Sequence[PayEntry]) -> None:
    """Add steps; a number that is taken means that another program is paying the same people."""
    rows = [
        {**entry.model_dump(include={"study_name", "session_hash", "seq"}), "body": entry.model_dump_json()}
        for entry in entries
    ]
    try:
        if rows:
            connection.execute(insert(pay_entries), rows)
    except IntegrityError:
        raise LogError(
            "Another program has just paid or confirmed some of the same people. Nothing was ordered here; run the command "
            "again to see what is still due."
        ) from None


def payments_of(connection: Connection, study_name: str) -> tuple[PayEntry, ...]:
    """Return the steps of a study, oldest first."""
    query = select(pay_entries.c.body).where(pay_entries.c.study_name == study_name).order_by(pay_entries.c.number)
    return tuple(PayEntry.model_validate_json(body) for body in connection.execute(query).scalars())


# Registrations in the log: entered once, counted against the sessions that came before, never edited.


def enter_registration(connection: Connection, registration: Registration, entered_ms: int) -> Registration:
    """Add an entry with its time and with the number of people who had come by then."""
    entry = registration.model_copy(
        update={"entered_ms": entered_ms, "n_sessions_before": _n_people(connection, registration)}
    )
    connection.execute(
        insert(registrations), {"study_name": entry.study_name, "body": entry.model_dump_json(exclude_defaults=True)}
    )
    return entry


def registrations_of(connection: Connection, study_name: str) -> tuple[Registration, ...]:
    """Return the entries of a study, oldest first."""
    query = select(registrations.c.body).where(registrations.c.study_name == study_name)
    bodies = connection.execute(query.order_by(registrations.c.number)).scalars()
    return tuple(Registration.model_validate_json(body) for body in bodies)


def _n_people(connection: Connection, registration: Registration) -> int:
    # A tombstone does not say which version the erased session ran under, so it counts for every version.
    of_study = select(func.count()).where(
        sessions.c.study_name == registration.study_name,
        sessions.c.study_digest == registration.study_digest,
        sessions.c.participant_kind == "person",
    )
    erased = select(func.count()).where(
        tombstones.c.study_name == registration.study_name, tombstones.c.participant_kind == "person"
    )
    return connection.execute(of_study).scalar_one() + connection.execute(erased).scalar_one()
