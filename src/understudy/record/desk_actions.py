"""Desk actions in the log: entered in order, never edited; the last one about recruitment decides whether it is paused.

A look of a sequential study is one as well: who belongs to it is entered when it is reached, because somebody slow who came
early would otherwise join it later. Its people are named by marks, which tell nothing once a session has been erased.
"""

from collections.abc import Collection
from typing import Any, NamedTuple

from sqlalchemy import Connection, Select, insert, select

from understudy.record.session_hash import session_hash
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
