"""Messages of the participant's page: the state of a session, what the page sends, and the replies."""

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from understudy.schema.assets import BrowserModules
from understudy.schema.events import Ending
from understudy.schema.flow import Purpose, ShownResult
from understudy.schema.materials import ShownTrial
from understudy.schema.questions import Answer
from understudy.schema.record import Json, Record


class SavedEvent(Record):
    """An interaction that an earlier page of the same trial recorded, for use after a reload."""

    action: str
    payload: Json = {}
    at_ms: int = 0


class ReferenceState(Record):
    """Earlier material that the participant can open."""

    block: str
    access: Literal["on_demand", "always"]
    title: str
    trial: ShownTrial


class ShownFeedback(Record):
    """Feedback about earlier answers; None and empty if there is none."""

    answers: dict[str, Answer] = {}
    is_correct: bool | None = None
    reason: str = ""
    """Why these answers are right, if the task says so."""
    share_correct: float | None = None
    n_judged: int = 0
    """How many answers `share_correct` is about."""
    measures: dict[str, float | str | None] = {}
    counted: dict[str, int] = {}
    """Measure -> of how many it counts, for sums of what is true or not, such as right answers."""
    results: tuple[ShownResult, ...] = ()
    """For pages that tell people how they did."""


class PartState(Record):
    """The part at hand."""

    number: int
    n_parts: int
    title: str


class OpeningState(Record):
    """What is announced before the trial: a new part, or a stage with other rules."""

    begins_part: bool
    text: str = ""
    has_break: bool = False
    n_pages: int
    """Pages until the next announcement."""
    minutes: float
    """What they are expected to take."""


class GateState(Record):
    """What a person has to know to pass the gate of a page."""

    tries_left: int | None
    """Tries, this one included; None without a limit."""
    wrong: tuple[str, ...] = ()
    """Questions that were answered wrongly last time."""


class StepState(Record):
    """The current trial, and its position in the session."""

    number: int
    trial: ShownTrial
    feedback: ShownFeedback = ShownFeedback()
    references: tuple[ReferenceState, ...] = ()
    purpose: Purpose
    position: int
    n_positions: int
    progress: float
    """Share of the session that is done, by time; it never falls."""
    minutes_left: float | None = None
    """How much longer the session is expected to take at the person's pace."""
    part: PartState | None = None
    opening: OpeningState | None = None
    gate: GateState | None = None
    try_number: int
    saved: tuple[SavedEvent, ...] = ()
    shown_seq: bool
    """Whether the log holds that the trial was shown."""
    is_recorded: bool = False
    """Whether the participant agreed that the voice is recorded here."""


class Pay(Record):
    """What was earned."""

    currency: str
    base: float
    bonus: float


class EndedState(Record):
    """How the session ended."""

    outcome: Ending
    is_erased: bool = False
    reason: str = ""
    pay: Pay | None = None
    code: str | None = None
    """What the participant shows to be paid."""
    redirect: str | None = None


class AnnouncedPay(Record):
    """What taking part pays, as people are told before they agree."""

    currency: str
    base: float
    has_bonus: bool = False
    bonus_up_to: float | None = None
    """The most that all bonuses add up to; None where there is no limit."""


class NamedStudy(Record):
    """Which study, in which version, a page belongs to."""

    name: str
    title: str
    language: str
    digest: str


class StudyHeading(NamedStudy):
    """What a page says about the study as a whole."""

    minutes: float | None = None
    """How long the study takes, as announced."""
    pay: AnnouncedPay | None = None
    kept_min: float = 60
    """How long a person may be away before the place is given to somebody else."""
    may_restart: bool = False
    """Whether a person who erased everything may start over."""
    modules: BrowserModules = BrowserModules()
    """What the page loads before the first trial, to draw tasks and explanations of other packages."""


class Skin(Record):
    """How the frame of the page looks."""

    is_preview: bool = False


class State(Record):
    """The state of a session."""

    study: StudyHeading
    next_seq: int
    """The number of the next event of the page."""
    step: StepState | None
    preload: tuple[str, ...] = ()
    """Files that this trial and the next ones need, the nearest first."""
    ended: EndedState | None = None
    skin: Skin = Skin()


class StartedState(State):
    """The state of a session that has just been opened."""

    token: str
    """The token that later requests must send."""


_Redirect: TypeAlias = Annotated[
    str | None, Field(exclude_if=lambda address: address is None, json_schema_extra={"may_be_absent": True})
]


_IsPaid: TypeAlias = Annotated[
    bool, Field(exclude_if=lambda is_paid: not is_paid, json_schema_extra={"may_be_absent": True})
]


class StudyFull(Record):
    """Every place is taken."""

    full: Literal[True] = True
    is_paid: _IsPaid = False
    """Whether the study pays the people who take part."""
    redirect: _Redirect = None
    """Where the person goes so that the recruiter hears of it."""


class StudyRefused(Record):
    """The person cannot take part."""

    refused: Literal["repeat", "link", "paused", "erased", "uninvited", "early", "late", "known"] = "repeat"
    """repeat: took part in a study that excludes this one; link: the link carries no id that the study accepts; paused:
    researchers let nobody new start for a while; erased: took part before, and had everything deleted; uninvited: did not
    complete the earlier part; early, late: outside the days in which the later part is open to them; known: somebody took part
    with this id, and an id alone does not prove who."""
    is_paid: _IsPaid = False
    """Whether the study pays the people who take part."""
    redirect: _Redirect = None
    """Where the person goes so that the recruiter hears of it."""
    contact: Annotated[
        str, Field(exclude_if=lambda contact: not contact, json_schema_extra={"may_be_absent": True})
    ] = ""
    """Whom to write to, for people who took part and cannot prove it."""


class StudyBegun(Record):
    """Somebody began with this id; the link does not prove who, so the person is asked whether to continue."""

    began_ms: int
    page: int
    """The page at which it continues, counted from 1."""
    progress: float
    """Share of the session that is done."""


Started: TypeAlias = StartedState | State | StudyFull | StudyRefused | StudyBegun


class StartRequest(Record):
    """Somebody opens the link of a study."""

    recruiter: dict[str, str] = {}
    """The parameters a recruiter put into the link."""
    language: str = ""
    preview: bool = False
    go_on: bool = False
    """Whether the person has read from when and where a session of their id continues, and continues."""
    knock: str = ""
    """A secret of the page: if the answer to a start gets lost, the same page can ask again and is known."""


class WithdrawRequest(Record):
    """The participant stops."""

    erase: bool = False
    """Whether everything stored is erased."""


class EventsReply(Record):
    """The events are durable."""

    acknowledged_seq: int
    state: State


class RefusalReply(Record):
    """The server refused the request."""

    error: str = ""
    expected_seq: int | None = None
    expected_chunk: int | None = None
    acknowledged_seq: int | None = None
    is_lost: bool | None = None
    """Whether the server no longer has something that it acknowledged to this page."""
    state: State | None = None
