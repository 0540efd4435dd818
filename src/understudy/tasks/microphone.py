"""Microphone: asks whether the voice may be recorded, separately from consent; declining changes nothing else."""

from typing import ClassVar, Literal

from pydantic import Field

from understudy.registry import register
from understudy.schema import Choice, Json, Question, Record, TaskParams
from understudy.tasks.one_page import OnePage

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
