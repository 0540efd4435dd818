"""Device check: how large the page is, so that a study can turn away screens that are too small."""

from collections.abc import Sequence
from typing import ClassVar

from understudy.registry import register
from understudy.roles import Rng
from understudy.schema import Draft, Number, Question, Record, Stimulus, TaskParams


class DeviceCheckParams(TaskParams):
    """How large the window has to be."""

    min_width_px: int = 0
    min_height_px: int = 0


class DeviceCheckResponse(Record):
    """How large the window is."""

    width_px: int
    height_px: int


@register("tasks", "device_check")
class DeviceCheck(Record):
    """Measures the window; the answers are `width_px` and `height_px`."""

    version: ClassVar[str] = "1"
    Params: ClassVar[type[TaskParams]] = DeviceCheckParams
    Response: ClassVar[type[Record]] = DeviceCheckResponse
    min_width_px: int = 1024
    min_height_px: int = 640

    @property
    def questions(self) -> tuple[Question, ...]:
        """The size of the window; the page answers by itself."""
        return (
            Number(question_id="width_px", prompt="Width of the window", low=0, is_whole=True, unit="px"),
            Number(question_id="height_px", prompt="Height of the window", low=0, is_whole=True, unit="px"),
        )

    @property
    def keyed(self) -> frozenset[str]:
        """Nothing is judged."""
        return frozenset()

    def drafts(self, stimuli: Sequence[Stimulus], rng: Rng) -> Sequence[Draft]:
        """Return the one page."""
        params = DeviceCheckParams(min_width_px=self.min_width_px, min_height_px=self.min_height_px)
        return [Draft(params=params, asks=self.questions, typical={"width_px": 1440, "height_px": 820})]
