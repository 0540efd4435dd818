"""Reconstruct: turn the dials of a generative model until it shows the target."""

from collections.abc import Sequence
from typing import Any, ClassVar, Literal, TypeAlias

from pydantic import Field, ValidationError, model_validator

from understudy.errors import MaterialsError
from understudy.registry import register
from understudy.roles import Rng
from understudy.schema import Dial, Dials, DialsAnswer, Draft, Json, Question, Record, Stimulus, TaskParams

QUESTION = "dials"
Use: TypeAlias = Literal["slider", "options", "overlay", "labels"]


class ShownCard(TaskParams):
    """What a page needs to know about a live model."""

    format: Literal[1] = 1
    name: str = "model"
    view: str = "image"
    shape: tuple[int, ...] = (1, 1)
    limits: tuple[float, float] = (0.0, 1.0)
    dials: tuple[Dial, ...]


class LiveDecoder(TaskParams):
    """A live model: the served file, and its card."""

    address: str
    card: ShownCard


class ShownDistance(Record):
    """How the two pictures are compared; the browser half has the same name."""

    name: str
    params: Json = {}

    @model_validator(mode="before")
    @classmethod
    def _name_alone(cls, value: Any) -> Any:
        return {"name": value} if isinstance(value, str) else value


class ReconstructParams(TaskParams):
    """A live model, a start and a target."""

    decoder: LiveDecoder
    start: tuple[float, ...]
    target: str
    """The target's output, as 32-bit floats in base64."""
    distance: ShownDistance = ShownDistance(name="soft_dice")
    threshold: float = 0.9
    text: str = ""
    skip_after_s: float | None = 30.0
    """Seconds at work after which the question may be skipped; 0 offers it at once, and none never."""
    clock: Literal["capped", "legacy"] = "capped"
    countdown: bool = False
    """Whether the page says how many seconds at work are left until the question may be skipped."""
    overlay: bool = True
    labels: bool = False
    edge: int = 200
    uses: tuple[Use, ...] = ()
    """Controls that have to be used once before the participant can continue."""


class ReconstructResponse(Record):
    """The final position of the dials."""

    dials: DialsAnswer


@register("tasks", "reconstruct")
class Reconstruct(Record):
    """Shows a picture that follows the dials next to a target, and how far they agree."""

    version: ClassVar[str] = "1"
    Params: ClassVar[type[TaskParams]] = ReconstructParams
    Response: ClassVar[type[Record]] = ReconstructResponse
    turns_dials: ClassVar[bool] = True
    text: str = ""
    skip_after_s: float | None = Field(default=30.0, ge=0)
    """Seconds at work after which the question may be skipped; 0 offers it at once, and none never."""
    clock: Literal["capped", "legacy"] = "capped"
    """What counts as being at work. capped: pauses count up to three seconds each and the clock runs all the time;
    legacy: pauses of three seconds or more count nothing, and the clock is looked at only on a movement."""
    countdown: bool = False
    """Whether the page says how many seconds at work are left until the question may be skipped, and that pauses do not
    count. Hidden, nobody works against the clock or waits for it."""
    overlay: bool = True
    """Whether the target lies over the picture at first; the participant can change it."""
    labels: bool = False
    """Whether participants may name the dials."""
    edge: int = Field(default=200, ge=60, le=480)
    """Width of a picture on the page, in pixels."""
    uses: tuple[Use, ...] = ()
    """Controls that must be used once before the participant can continue, as in a practice."""

    @property
    def questions(self) -> tuple[Question, ...]:
        """The dials, whose number depends on the decoder of each item."""
        return (Dials(question_id=QUESTION, prompt="", dials=(Dial(),)),)

    def drafts(self, stimuli: Sequence[Stimulus], rng: Rng) -> Sequence[Draft]:
        """Return one question for each start and target."""
        # There is no key: many settings can give the same picture, so agreement decides.
        return [self._draft(stimulus) for stimulus in stimuli]

    def _draft(self, stimulus: Stimulus) -> Draft:
        try:
            # The task's settings come last, so that items cannot override them.
            params = ReconstructParams.model_validate({**stimulus.content, **dict(self)})
        except ValidationError:
            raise MaterialsError(
                "A reconstruct task needs items with a decoder, a start and a target. Use the dataset 'reconstruction'."
            ) from None
        asked = Dials(question_id=QUESTION, prompt="", dials=params.decoder.card.dials)
        return Draft(params=params, asks=(asked,))
