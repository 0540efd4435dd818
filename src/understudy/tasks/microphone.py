"""Microphone: asks whether the voice may be recorded, separately from consent; declining changes nothing else."""

from collections.abc import Sequence
from typing import ClassVar, Literal

from pydantic import Field

from understudy.registry import register
from understudy.roles import Rng
from understudy.schema import Choice, Draft, Json, Question, Record, Stimulus, TaskParams

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
class Microphone(Record):
    """Asks to record the voice in some later blocks; the answer `microphone` is 'agreed', 'declined' or 'not available'.

    The study continues after any answer; nothing is recorded unless it is 'agreed'.
    """

    version: ClassVar[str] = "1"
    Params: ClassVar[type[TaskParams]] = MicrophoneParams
    Response: ClassVar[type[Record]] = MicrophoneResponse
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

    @property
    def keyed(self) -> frozenset[str]:
        """Nothing is judged."""
        return frozenset()

    def drafts(self, stimuli: Sequence[Stimulus], rng: Rng) -> Sequence[Draft]:
        """Return the page; simulated people have no voice."""
        params = MicrophoneParams(text=self.text, blocks=self.blocks)
        return [Draft(params=params, asks=self.questions, typical={"microphone": UNAVAILABLE})]
