"""Code books in the log: each change is numbered within its study, entered once and never edited."""

from sqlalchemy import Connection, insert, select
from sqlalchemy.exc import IntegrityError

from understudy.errors import LogError
from understudy.record.encoded_events import event_from_body
from understudy.record.shared import last_position
from understudy.record.tables import book_entries, events, sessions
from understudy.schema import Event
from understudy.schema.annotation import BookEntry


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
