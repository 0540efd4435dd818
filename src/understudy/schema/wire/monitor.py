"""Messages about a live study: who leaves where, what it costs, and what the stop rules say; no outcome is in them."""

from typing import Literal

from understudy.schema.record import Record
from understudy.schema.wire.desk import Kind


class MonitoredPage(Record):
    """One block of the flow: how many people of each condition came to it, and how many left there."""

    block: str
    purpose: str
    reached: tuple[int | None, ...]
    """By condition, in the order of `Monitoring.conditions`; None for conditions that do not have the block."""
    left: tuple[int, ...]
    median_s: float | None = None
    """The median time of its pages; None with few answers."""
    n_answers: int = 0


class MonitoredDay(Record):
    """People who started on one day (UTC), by condition, and what has become of them."""

    day: str
    started: tuple[int, ...]
    completed: tuple[int, ...]
    left: tuple[int, ...]


class MonitoredCheck(Record):
    """A gate or an exclusion rule, and how many people it stopped."""

    check_id: str
    kind: Literal["gate", "exclusion"]
    n_failed: int


class MonitoredAttrition(Record):
    """Whether conditions lose people at different rates, in numbers and in words."""

    ended: tuple[int, ...]
    left: tuple[int, ...]
    method: Literal["exact", "chi_square", "none"]
    p: float | None = None
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    sentence: str


class MonitoredMoney(Record):
    """Pay settled so far, and what the wanted number of people will have cost; without fees of a platform."""

    currency: str
    spent: float
    forecast: float | None = None
    per_completed: float | None = None
    """All pay so far for each completed person, so that people who left are counted."""


class MonitoredRule(Record):
    """A stop rule of the plan, and where the study is."""

    rule_id: str
    limit: str
    value: float | None
    """None while there are too few people to say."""
    at_least: float
    is_reached: bool


class DeskNote(Record):
    """Something that was done about a live study, with its reason: unblinded, paused, resumed."""

    at_ms: int
    actor: str
    action: str
    reason: str = ""


class Monitoring(Record):
    """A live study at one moment."""

    study: str
    title: str
    is_pilot: bool
    kind: Kind
    read_share: float
    """How much of the log these numbers hold; 1 once everything was read."""
    is_blind: bool
    """Whether conditions are called A, B, … until a researcher asks for their names, with a reason."""
    is_paused: bool
    conditions: tuple[str, ...]
    n_wanted: int
    n_completed: int
    n_started: int
    pages: tuple[MonitoredPage, ...]
    days: tuple[MonitoredDay, ...]
    checks: tuple[MonitoredCheck, ...]
    attrition: MonitoredAttrition
    money: MonitoredMoney | None = None
    devices: dict[str, int] = {}
    connections: dict[str, int] = {}
    rules: tuple[MonitoredRule, ...] = ()
    notes: tuple[DeskNote, ...] = ()


class UnblindRequest(Record):
    """A researcher asks for the names of the conditions."""

    reason: str
