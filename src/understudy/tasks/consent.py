"""Consent and debriefing, and checks of microphone and device."""

from typing import ClassVar, Literal

from pydantic import Field

from understudy.registry import register
from understudy.schema import Choice, Json, Number, Question, Record, TaskParams
from understudy.tasks.pages import OnePage

AGREES: Literal["I agree"] = "I agree"
DECLINES: Literal["I do not agree"] = "I do not agree"


class ConsentTexts(Record):
    """The consent text, and the facts below it."""

    text: str = ""
    contact: str = ""
    """Whom to ask, such as a name and an address."""
    institution: str = ""
    """Who runs the study."""
    ethics: str = ""
    """Which committee approved it, and under which number."""
    duration: str = ""
    """How long it takes; by default what the study's pay says."""
    pay: str = ""
    """What people are paid; by default what the study's pay says."""
    storage: str = ""
    """What is stored, where, for how long, and who can see it."""
    withdrawal: str = ""
    """How to stop, and what happens to data and pay then."""


class ConsentParams(ConsentTexts, TaskParams):
    """The consent text, and the facts below it."""


class ConsentResponse(Record):
    """Whether the person takes part."""

    consent: Literal["I agree", "I do not agree"]


@register("tasks", "consent")
class Consent(ConsentTexts, OnePage):
    """Shows the consent text; the answer `consent` is 'I agree' or 'I do not agree'."""

    Params: ClassVar[type[TaskParams]] = ConsentParams
    Response: ClassVar[type[Record]] = ConsentResponse
    typical: ClassVar[Json] = {"consent": AGREES}
    text: str

    @property
    def questions(self) -> tuple[Question, ...]:
        """Whether the person takes part."""
        return (Choice(question_id="consent", prompt="Would you like to take part?", options=(AGREES, DECLINES)),)


# Debrief: what the study was about, and how to withdraw one's data.


class DebriefParams(TaskParams):
    """What the study was about, and whom to contact."""

    text: str = ""
    contact: str = ""


@register("tasks", "debrief")
class Debrief(OnePage):
    """Explains the study afterwards; asks nothing."""

    Params: ClassVar[type[TaskParams]] = DebriefParams
    text: str
    contact: str = ""


# Microphone: asks whether the voice may be recorded, separately from consent; declining changes nothing else.

AGREED = "agreed"
DECLINED = "declined"
UNAVAILABLE = "not available"


class MicrophoneParams(TaskParams):
    """What is recorded, and where in the study."""

    text: str = ""
    blocks: tuple[str, ...] = ()


class MicrophoneResponse(Record):
    """Whether the voice may be recorded."""

    microphone: Literal["agreed", "declined", "not available"]


@register("tasks", "microphone")
class Microphone(OnePage):
    """Asks to record the voice in some later blocks; the answer `microphone` is 'agreed', 'declined' or 'not available'.

    The study continues after any answer; nothing is recorded unless it is 'agreed'.
    """

    Params: ClassVar[type[TaskParams]] = MicrophoneParams
    Response: ClassVar[type[Record]] = MicrophoneResponse
    typical: ClassVar[Json] = {"microphone": UNAVAILABLE}
    text: str = Field(min_length=1)
    """What is recorded, where it is kept, for how long, and who will hear it."""
    blocks: tuple[str, ...] = Field(min_length=1)
    """The later blocks that are recorded."""

    @property
    def questions(self) -> tuple[Question, ...]:
        """Whether the voice may be recorded; the page answers 'not available' if there is no microphone."""
        options = (AGREED, DECLINED, UNAVAILABLE)
        return (Choice(question_id="microphone", prompt="May we record your voice?", options=options),)

    @property
    def recorded_blocks(self) -> tuple[str, ...]:
        """The later blocks that are recorded."""
        return self.blocks

    def allows_recording(self, response: Json) -> bool:
        """Tell whether somebody agreed."""
        return response.get("microphone") == AGREED


# Device check: how large the page is, so that a study can turn away screens that are too small.


class DeviceCheckParams(TaskParams):
    """How large the window has to be."""

    min_width_px: int = 0
    min_height_px: int = 0


class DeviceCheckResponse(Record):
    """How large the window is."""

    width_px: int
    height_px: int


@register("tasks", "device_check")
class DeviceCheck(OnePage):
    """Measures the window; the answers are `width_px` and `height_px`."""

    Params: ClassVar[type[TaskParams]] = DeviceCheckParams
    Response: ClassVar[type[Record]] = DeviceCheckResponse
    typical: ClassVar[Json] = {"width_px": 1440, "height_px": 820}
    min_width_px: int = Field(default=1024, ge=0, le=100_000)
    min_height_px: int = Field(default=640, ge=0, le=100_000)

    @property
    def questions(self) -> tuple[Question, ...]:
        """The size of the window; the page answers by itself."""
        return (
            Number(question_id="width_px", prompt="Width of the window", low=0, is_whole=True, unit="px"),
            Number(question_id="height_px", prompt="Height of the window", low=0, is_whole=True, unit="px"),
        )
