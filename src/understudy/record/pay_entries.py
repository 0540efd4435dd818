"""Payments in the log: each step is numbered within its session, entered once and never edited."""

from collections.abc import Sequence

from sqlalchemy import Connection, insert, select
from sqlalchemy.exc import IntegrityError

from understudy.errors import LogError
from understudy.record.tables import pay_entries
from understudy.schema.pay_ledger import PayEntry


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
