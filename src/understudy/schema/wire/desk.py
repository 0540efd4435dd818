"""Messages of the researchers' page: counts, sessions, and everything of one session for the replay."""

from typing import Literal, TypeAlias

from understudy.schema.assets import BrowserModules
from understudy.schema.events import Ending, Event
from understudy.schema.log_entries import DeskDeed
from understudy.schema.record import Record
from understudy.schema.wire.session import AnnouncedPay, StepState

# What the server sees of a request, for `understudy doctor`: whether a proxy passes on what it must.


class ConnectionSeen(Record):
    """How a request reached the server."""

    scheme: str
    """`https` if the proxy says so; cookies are marked Secure then."""
    address: str
    """The client's address, by which limits count."""
    is_forwarded: bool
    """Whether a proxy sent `X-Forwarded-For`."""
    at_ms: int
    """The server's time."""
    time_zone: str = ""
    """What TZ names; empty if it is not set."""
    utc_offset_min: int = 0
    """How far the server's local time is ahead of UTC."""
    has_token: bool = False
    """Whether the header `Authorization` arrived, by which the server knows whose answers it gets."""
    n_bytes: int = 0
    """How many bytes of a body arrived."""


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


# Messages about a live study: who leaves where, what it costs, and what the stop rules say; no outcome is in them.


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
