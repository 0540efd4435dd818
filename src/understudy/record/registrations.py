"""Registrations in the log: entered once, counted against the sessions that came before, never edited."""

from sqlalchemy import Connection, func, insert, select

from understudy.record.tables import registrations, sessions, tombstones
from understudy.schema import Registration


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
