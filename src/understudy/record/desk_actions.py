"""Desk actions in the log: entered in order, never edited; the last one about recruitment decides whether it is paused."""

from typing import Any

from sqlalchemy import Connection, Select, insert, select

from understudy.record.tables import desk_actions
from understudy.schema.desk_action import DeskAction

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
