"""Files of a study without a server: one manifest, and one place for each session drawn in advance."""

from typing import Literal

from pydantic import JsonValue

from understudy.schema.events import Ending
from understudy.schema.flow import Purpose
from understudy.schema.materials import ShownTrial
from understudy.schema.questions import Answer
from understudy.schema.record import Record
from understudy.schema.wire.session import NamedStudy, OpeningState, PartState, StudyHeading

# Messages of the preview: which pages each condition has; a page itself is sent as a `State`.


class PreviewTrial(Record):
    """A page of the same kind with another item, which the previewed session did not meet."""

    trial_id: str
    label: str


class PreviewPage(Record):
    """One page of a condition, in the order in which people meet it."""

    number: int
    """Counts the pages of the condition from 1; the end of the session comes after the last."""
    trial_id: str
    block: str
    task: str
    purpose: str
    label: str
    """What the page says in its title, or the name of its block."""
    position: int
    """Position among the pages of its block, from 0."""
    n_positions: int
    others: tuple[PreviewTrial, ...] = ()
    """Further items of the block, listed at its first page."""


class PreviewPart(Record):
    """A titled stretch of a session, or the whole session where parts have no titles."""

    title: str
    pages: tuple[PreviewPage, ...]


class PreviewCondition(Record):
    """The pages of one condition, and how the session ends that meets them."""

    name: str
    levels: dict[str, str]
    parts: tuple[PreviewPart, ...]
    n_pages: int
    outcome: str
    """How the previewed session ends, such as completed."""


class PreviewContents(NamedStudy):
    """All conditions and pages of a study."""

    conditions: tuple[PreviewCondition, ...]


class StaticManifest(Record):
    """What a folder holds."""

    format: Literal[1] = 1
    study: StudyHeading
    places: tuple[str, ...]
    """Names of the drawn sessions, in the order in which the study's policy assigned them."""
    needs_seals: bool
    """Whether right answers have to be recognised, which browsers do at secure addresses only."""
    post: str | None
    redirect: str | None
    """Where participants go at the end; {outcome} is filled in."""


class StaticStop(Record):
    """A rule that ends the session."""

    rule: list[JsonValue]
    """Nested lists, an operator first."""
    outcome: Ending


class StaticReference(Record):
    """Earlier material that the participant can open."""

    block: str
    access: Literal["on_demand", "always"]
    unmet: tuple[str, ...]
    """Trials shown if the block has not been visited yet."""


class StaticGate(Record):
    """What decides whether the participant continues."""

    at_least: float
    question: str | None
    """The question that counts; None for all that have a right answer."""
    on_fail: Literal["screen_out", "go_on"]
    tries_left: int | None = None
    """Tries, this one included; None without a limit."""
    again: "tuple[StaticVisit, ...] | None"
    """What is studied and tried again after a failure; None when there is no further try."""


class StaticVisit(Record):
    """One visit of a block, with what may follow it."""

    number: int
    block: str
    purpose: Purpose
    try_number: int
    trial_ids: tuple[str, ...]
    minutes: float | None
    feedback: Literal["none", "continuous", "per_trial", "after_stage"]
    stops: tuple[StaticStop, ...]
    references: tuple[StaticReference, ...]
    counts_visit: int | None = None
    """The visit on whose number of answers the trials depend."""
    by_count: tuple[tuple[str, ...], ...] = ()
    """The trials for each number of answers."""
    gate: StaticGate | None = None
    seconds: float = 0
    """What the visit is expected to take."""
    n_pages: int = 0
    """How many pages that expectation is about."""
    part: PartState | None = None
    opening: OpeningState | None = None


class StaticSeal(Record):
    """A right answer that a page can recognise but not read."""

    question: str | None
    """What is judged: one question, or with None all that have a right answer."""
    questions: tuple[str, ...]
    seal: str


class StaticTally(Record):
    """How a result page's number is made."""

    blocks: tuple[str, ...]
    question: str | None
    summary: str


class StaticPlace(Record):
    """Everything the page of one drawn session needs."""

    format: Literal[1] = 1
    place: str
    visits: tuple[StaticVisit, ...]
    trials: dict[str, ShownTrial]
    files: dict[str, tuple[str, ...]]
    titles: dict[str, str]
    salt: str
    n_rounds: int
    seals: dict[str, tuple[StaticSeal, ...]]
    answers: dict[str, dict[str, Answer]] = {}
    """Right answers, only where the researcher chose to reveal them."""
    reasons: dict[str, str] = {}
    """Why they are right, in the same case only."""
    tallies: dict[str, StaticTally] = {}
