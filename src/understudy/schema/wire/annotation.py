"""Messages of the page on which texts are coded: the work of one annotator, agreement, decisions and the code book."""

from typing import Literal

from understudy.schema.annotation import BookEdit, BookEntry, Code, CodingPhase
from understudy.schema.record import Record


class CodingTask(Record):
    """One coding scheme of one study, for the person who asks."""

    study: str
    """The name of the study in addresses."""
    study_title: str
    """Empty for annotators, since a title can give the question away."""
    scheme_id: str
    title: str
    phase: CodingPhase
    n_coded: int
    n_left: int


class CodingTasks(Record):
    """Everything that the signed-in person may code, and whether they may look at agreement too."""

    tasks: tuple[CodingTask, ...]
    may_settle: bool
    can_code: bool
    """False for people without a name, whose codes nobody could tell apart."""


class QueuedUnit(Record):
    """A text of an annotator's queue, with what they said about it."""

    unit_id: str
    codes: tuple[str, ...] | None = None
    note: str = ""
    revision: int = 0


class CodingDesk(Record):
    """What an annotator needs to code: the code book, and their texts in their own order."""

    title: str
    instruction: str
    choose: Literal["one", "several"]
    phase: CodingPhase
    codes: tuple[Code, ...]
    labels: tuple[str, ...]
    """Labels of open coding that this annotator has written so far."""
    queue: tuple[QueuedUnit, ...]


class ShownText(Record):
    """A text with the question that it answers."""

    prompt: str
    text: str


class ShownUnit(Record):
    """What annotators read or hear, and nothing about the person."""

    unit_id: str
    texts: tuple[ShownText, ...]
    recordings: tuple[str, ...] = ()
    """Addresses of audio files."""


class CodesRequest(Record):
    """An annotator codes a text, or takes the codes back."""

    codes: tuple[str, ...] | None
    note: str = ""
    revision: int
    """The last revision that the page knows of, so that two windows do not overwrite each other."""


class CodesReply(Record):
    """The codes are stored."""

    revision: int
    n_left: int


class PairAgreement(Record):
    """How two annotators labelled the texts that both coded."""

    first: str
    second: str
    n: int
    n_same: int
    kappa: float | None
    labels: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]


class AgreementAbout(Record):
    """Agreement about codes, about their groups, or about a single code."""

    about: str
    alpha: float | None
    n_texts: int
    pairs: tuple[PairAgreement, ...]


class AnnotatorProgress(Record):
    """How far an annotator is."""

    name: str
    n_coded: int
    is_blind: bool
    is_synthetic: bool


class GivenCodes(Record):
    """What one annotator said about a text."""

    annotator: str
    codes: tuple[str, ...]
    note: str


class Decision(Record):
    """What was decided about a text, by whom and why."""

    codes: tuple[str, ...]
    reason: str
    actor: str
    at_ms: int


class Dispute(Record):
    """A text about which annotators disagree."""

    unit: ShownUnit
    given: tuple[GivenCodes, ...]
    decision: Decision | None = None


class CodeCount(Record):
    """How many texts have a code, as far as it is agreed or decided."""

    code_id: str
    n_texts: int


class AgreementPage(Record):
    """How annotators agree so far, and what waits for a decision."""

    title: str
    phase: CodingPhase
    choose: Literal["one", "several"]
    codes: tuple[Code, ...]
    n_units: int
    n_complete: int
    annotators: tuple[AnnotatorProgress, ...]
    agreement: tuple[AgreementAbout, ...]
    counts: tuple[CodeCount, ...]
    disputes: tuple[Dispute, ...]


class SettleRequest(Record):
    """A researcher decides which codes of a text count."""

    codes: tuple[str, ...]
    reason: str


class LabelUse(Record):
    """A label of open coding, and how often it was given."""

    label: str
    n_texts: int
    annotators: tuple[str, ...]
    code_id: str = ""
    """The code that it became part of; empty if it has none yet."""


class CodeBookPage(Record):
    """The code book, the labels it grows out of, and how it changed."""

    title: str
    phase: CodingPhase
    codes: tuple[Code, ...]
    labels: tuple[LabelUse, ...]
    history: tuple[BookEntry, ...]


class BookRequest(BookEdit):
    """A researcher changes the code book."""
