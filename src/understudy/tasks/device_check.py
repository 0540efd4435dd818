"""Device check: how large the page is, so that a study can turn away screens that are too small."""

from typing import ClassVar

from pydantic import Field

from understudy.registry import register
from understudy.schema import Json, Number, Question, Record, TaskParams
from understudy.tasks.one_page import OnePage


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
