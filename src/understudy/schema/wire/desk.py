"""Messages of the researchers' page: counts, sessions, and everything of one session for the replay."""

from typing import Literal, TypeAlias

from understudy.schema.browser_modules import BrowserModules
from understudy.schema.desk_action import DeskDeed
from understudy.schema.events import Ending, Event
from understudy.schema.record import Record
from understudy.schema.wire.session import AnnouncedPay, StepState

Kind: TypeAlias = Literal["person", "synthetic"]
Role: TypeAlias = Literal["owner", "researcher", "annotator", "viewer"]
Permission: TypeAlias = Literal["look", "label", "exclude", "recruit", "export", "audit", "code", "settle"]
"""What a role may allow: look at everything; label answers; exclude sessions; pause recruitment; download the data; read
what everybody did; code texts without seeing anything else; settle disagreements about codes and change the code book."""


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
    is_pilot: bool = False
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
    links: Literal["open", "listed", "signed"] = "open"
    """Which links open the study."""
    is_paused: bool = False
    """Whether recruitment is paused: people who have begun can finish, and nobody new can start."""
    is_platform_paused: bool = False
    """Whether a stop rule has paused the study at its platform as well."""
    n_deposits: int = 0
    """How many result files of static exports were set aside and wait for a decision."""
    n_schemes: int = 0
    """How many coding schemes annotators code texts by."""


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
    step: str | None = None
    """Where the participant is, as the number of the step and the name of the block; None before the first screen."""
    last_seen_ms: int | None = None
    """When the server last heard from the page, by the server's clock; None before the first screen."""


class SessionPage(Record):
    """One page of the requested sessions."""

    total: int
    rows: tuple[SessionRow, ...]
    now_ms: int = 0
    """The server's clock."""


class SessionRecord(Record):
    """Everything of one session, for the replay."""

    events: tuple[Event, ...]
    steps: tuple[StepState, ...]
    """Each step as it was shown."""
    warnings: tuple[str, ...] = ()
    """What the server noticed about the session, one sentence each."""


class LoginRequest(Record):
    """A researcher signs in, with the admin token or with name and password."""

    token: str = ""
    name: str = ""
    password: str = ""


class SignInState(Record):
    """Who is signed in, and how people sign in here."""

    asks_for: Literal["token", "password"]
    """password: named researchers have accounts."""
    name: str | None = None
    role: Role | None = None
    may: tuple[Permission, ...] = ()


class LabelRequest(Record):
    """A researcher labels a session."""

    about: str
    """What the label is about, such as `judgement` or the id of a question."""
    label: str


class PauseRequest(Record):
    """A researcher pauses recruitment, or resumes it."""

    is_paused: bool


class AuditEntry(Record):
    """One line of the audit log."""

    at_ms: int
    actor: str
    action: DeskDeed
    session_id: str | None
    """None where no session is concerned, and for one that was erased since."""
    arrival: int | None


class AuditPage(Record):
    """What researchers did last, newest first."""

    entries: tuple[AuditEntry, ...]


class ExcludeRequest(Record):
    """A researcher takes a session out of the sample."""

    reason: str


class Deposit(Record):
    """A result file of a static export that was set aside."""

    name: str
    """Its session and a digest of the file: there may be several files of one session."""
    n_answers: int
    reasons: tuple[str, ...]
    """Why it was set aside; empty if nothing speaks against it any more."""


class DepositPage(Record):
    """The deposits that wait for a decision."""

    deposits: tuple[Deposit, ...]


class DepositDecision(Record):
    """A researcher takes a deposit into the study, or deletes it."""

    name: str
    is_taken: bool


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
