"""Messages of the researchers' page: counts, sessions, and everything of one session for the replay."""

from typing import Literal, TypeAlias

from understudy.schema.browser_modules import BrowserModules
from understudy.schema.events import Ending, Event
from understudy.schema.record import Record
from understudy.schema.wire.session import AnnouncedPay, StepState

Kind: TypeAlias = Literal["person", "synthetic"]


class Cell(Record):
    """How many people of one kind have each status in one condition."""

    condition: str
    kind: Kind
    quota: int
    assigned: int
    active: int
    excluded: int
    erased: int
    completed: int
    screened_out: int
    declined: int
    withdrew: int
    abandoned: int


class Flow(Record):
    """How many people arrived, and how many have each status now."""

    recruited: int
    left: int
    """Withdrew, with or without their data, or stopped answering."""
    declined: int
    screened_out: int
    active: int
    excluded_by_rule: int
    excluded_by_hand: int
    completed: int


class StudyCounts(Record):
    """A study as the dashboard counts it."""

    name: str
    title: str
    shown_title: str
    """The title participants read."""
    language: str
    digest: str
    modules: BrowserModules = BrowserModules()
    """What a replay loads to draw tasks and explanations of other packages."""
    minutes: float | None = None
    """How long the study takes, as announced before consent."""
    pay: AnnouncedPay | None = None
    kinds: dict[Kind, int]
    flows: dict[Kind, Flow]
    cells: tuple[Cell, ...]
    n_erased: int
    median_minutes: float | None
    pay_per_hour: float | None
    currency: str | None


class SessionRow(Record):
    """A session as a row of the dashboard's table."""

    session_id: str
    participant_id: str
    kind: Kind
    condition: str
    arrival: int
    outcome: Ending | None
    excluded_by: str | None
    started_ms: int
    last_event_ms: int
    minutes: float
    code: str | None
    warnings: tuple[str, ...] = ()
    """What the server noticed about the session, one sentence each."""


class SessionPage(Record):
    """One page of the requested sessions."""

    total: int
    rows: tuple[SessionRow, ...]


class SessionRecord(Record):
    """Everything of one session, for the replay."""

    events: tuple[Event, ...]
    steps: tuple[StepState, ...]
    """Each step as it was shown."""


class LoginRequest(Record):
    """A researcher signs in."""

    token: str


class ExcludeRequest(Record):
    """A researcher takes a session out of the sample."""

    reason: str


class Done(Record):
    """The request succeeded."""

    ok: Literal[True] = True


class PlacesTaken(Record):
    """How far one study of the demo is."""

    completed: int
    active: int
    wanted: int


class DemoCounts(Record):
    """How many have taken part in the demo so far."""

    simulated: PlacesTaken
    people: PlacesTaken
