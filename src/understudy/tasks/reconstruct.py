"""Reconstruct: turn the dials of a generative model until it shows the target."""

from collections.abc import Sequence
from typing import ClassVar, Literal

from pydantic import Field

from understudy.errors import MaterialsError
from understudy.registry import register
from understudy.roles import Rng
from understudy.schema import Dial, Dials, Draft, Question, Record, Stimulus

QUESTION = "dials"


@register("tasks", "reconstruct")
class Reconstruct(Record):
    """Shows a picture that follows the dials beside a target, and how far they agree."""

    version: ClassVar[str] = "1"
    turns_dials: ClassVar[bool] = True
    text: str = ""
    skip_after_s: float | None = Field(default=30.0, ge=0)
    """Seconds at work after which the question may be skipped; 0 offers it at once, and none never."""
    clock: Literal["capped", "legacy"] = "capped"
    """What counts as being at work. capped: pauses count up to three seconds each and the clock really runs;
    legacy: pauses of three seconds or more count nothing, and the clock is looked at only on a movement."""
    overlay: bool = True
    """Whether the target lies over the picture at first; the participant can change it."""
    labels: bool = False
    """Whether participants may name the dials."""
    edge: int = Field(default=200, ge=60, le=480)
    """Width of a picture on the page, in pixels."""
    uses: tuple[Literal["slider", "options", "overlay", "labels"], ...] = ()
    """Controls that have to be used once before the way on opens, as in a practice."""

    @property
    def questions(self) -> tuple[Question, ...]:
        """The dials, whose number depends on the decoder of each item."""
        return (Dials(question_id=QUESTION, prompt="", dials=(Dial(),)),)

    @property
    def keyed(self) -> frozenset[str]:
        """Nothing: many settings can give the same picture, so agreement decides and not a key."""
        return frozenset()

    def drafts(self, stimuli: Sequence[Stimulus], rng: Rng) -> Sequence[Draft]:
        """Return one question for each start and target."""
        return [self._draft(stimulus) for stimulus in stimuli]

    def _draft(self, stimulus: Stimulus) -> Draft:
        live = stimulus.content.get("decoder")
        if not isinstance(live, dict) or not isinstance(live.get("card"), dict):
            raise MaterialsError(
                "A reconstruct task needs items with a decoder, a start and a target. Use the dataset 'reconstruction'."
            )
        card = live["card"]
        dials = tuple(Dial.model_validate(one) for one in card["dials"])  # type: ignore[index,call-overload,union-attr]
        return Draft(
            params={
                **stimulus.content,
                "text": self.text,
                "skip_after_s": self.skip_after_s,
                "clock": self.clock,
                "overlay": self.overlay,
                "labels": self.labels,
                "edge": self.edge,
                "uses": list(self.uses),
            },
            asks=(Dials(question_id=QUESTION, prompt="", dials=dials),),
        )
