"""Interactions: what a page records while somebody works, by the name of the action.

The page must write these records. A reader sees logs of every version and of third-party tasks, so
it uses what fits and ignores the rest.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

from understudy.schema.questions import Answer
from understudy.schema.record import Record


class NothingMore(Record):
    """The action has no further data."""


class Surroundings(Record):
    """What kind of device and connection the page runs on, in classes too coarse to know anybody by."""

    device: Literal["computer", "tablet", "phone"]
    connection: Literal["fast", "medium", "slow", "unknown"]


class DraftKept(Record):
    """Answers as they were entered so far, and how long the trial had been shown."""

    answers: dict[str, Answer]
    rt_ms: float | None = None
    active_ms: float | None = None


class OptionsShown(Record):
    """The order in which the options of a question were shown."""

    question_id: str
    order: tuple[str, ...]


class PageOpened(Record):
    """A page of the instructions was opened; the first one is 0."""

    page: int


class ScreenState(Record):
    """The digest of all that could be read and all that was entered when the answer was sent."""

    sha256: str


class ReferenceOpened(Record):
    """Earlier material was opened again."""

    blocks: tuple[str, ...]


class ReferenceClosed(Record):
    """Earlier material was closed again."""

    blocks: tuple[str, ...]
    open_ms: float


class MoreShown(Record):
    """Another set of examples was shown; the first one is 0."""

    set: int


class OptionOpened(Record):
    """One of several alternatives was brought to the front; the first one is 1."""

    option: int


class TreeOpened(Record):
    """The drawing of a whole tree was opened."""

    n_decisions: int


class TreeClosed(TreeOpened):
    """The drawing of a whole tree was closed again."""

    open_ms: float
    n_moves: int
    """How often it was enlarged, reduced or moved."""


class SliderStarted(Record):
    """Where a slider was before anybody touched it."""

    question_id: str
    value: float


class SliderUntouched(SliderStarted):
    """A slider was left where it was, so its question has no answer."""


class OpacityChanged(Record):
    """How far a heat map covers its picture, from 0 to 1."""

    opacity: float


class TextPasted(Record):
    """Text was pasted into the field of a question."""

    question_id: str
    n_chars: int


class VideoProgress(Record):
    """Which parts of a film have been played, in seconds."""

    ranges: tuple[tuple[float, float], ...]
    has_ended: bool
    watched_share: float


class TranscriptToggled(Record):
    """The transcript of a film was opened or closed."""

    is_open: bool


class _AtMoment(Record):
    t_ms: float
    """Time since the question appeared, without the time while no page showed it."""


class DialSnapshot(_AtMoment):
    """Where the dials of a question are, and how far the picture is from the target."""

    code: tuple[float, ...]
    agreement: float
    sq_err: float


class QuestionStarted(DialSnapshot):
    """The first picture has been drawn; includes what measures need to know about the dials."""

    widths: tuple[float, ...]
    kinds: tuple[Literal["continuous", "periodic", "discrete"], ...]
    inputs: tuple[int, ...]
    """How many numbers of a code belong to each dial."""
    threshold: float
    distance: str
    labels: tuple[str, ...] | None = None
    """The names that the participant has given the dials so far, where they may."""


class DialChanged(DialSnapshot):
    """A dial was moved."""

    dial: int
    dir: int
    """-1 or +1 along a slider, 0 for a choice."""


class QuestionFinished(DialSnapshot):
    """The question was left."""

    outcome: Literal["solved", "skipped"]


class DialLabelled(_AtMoment):
    """The participant named a dial."""

    dial: int
    label: str


class OverlayToggled(_AtMoment):
    """The target was laid over the picture, or taken away."""

    is_on: bool


class SkipOffered(_AtMoment):
    """From now on the question may be skipped."""


class DecoderFailed(_AtMoment):
    """The live model gave no picture."""

    reason: str


class RecordingMoved(Record):
    """A file of the participant's voice was begun or ended."""

    started_ms: int


class RecordingLost(Record):
    """Nothing is recorded, or something could not be kept."""

    reason: str
    started_ms: int | None = None
    said: str | None = None


INTERACTIONS: Mapping[str, type[Record]] = MappingProxyType({
    "break_ended": NothingMore,
    "break_started": NothingMore,
    "changed": DialChanged,
    "decoder_failed": DecoderFailed,
    "draft": DraftKept,
    "feedback_seen": NothingMore,
    "finished": QuestionFinished,
    "focus_gained": NothingMore,
    "focus_lost": NothingMore,
    "labelled": DialLabelled,
    "microphone_refused": NothingMore,
    "more_shown": MoreShown,
    "opacity_changed": OpacityChanged,
    "option_opened": OptionOpened,
    "options_shown": OptionsShown,
    "overlay": OverlayToggled,
    "page_hidden": NothingMore,
    "page_opened": PageOpened,
    "page_shown": NothingMore,
    "pasted": TextPasted,
    "question_started": QuestionStarted,
    "recording_lost": RecordingLost,
    "recording_paused": NothingMore,
    "recording_started": RecordingMoved,
    "recording_stopped": RecordingMoved,
    "recording_wanted": NothingMore,
    "reference_closed": ReferenceClosed,
    "reference_opened": ReferenceOpened,
    "resumed": NothingMore,
    "screen_state": ScreenState,
    "skip_offered": SkipOffered,
    "slider_started": SliderStarted,
    "slider_untouched": SliderUntouched,
    "solved": DialSnapshot,
    "surroundings": Surroundings,
    "transcript": TranscriptToggled,
    "tree_closed": TreeClosed,
    "tree_opened": TreeOpened,
    "video_progress": VideoProgress,
})  # fmt: skip
"""Action -> the record that the page writes with it."""
