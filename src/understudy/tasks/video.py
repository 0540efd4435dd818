"""Video: a film with its transcript, and evidence of how much of it was watched."""

from typing import ClassVar

from understudy.registry import register
from understudy.schema import AssetPath, Json, Number, Question, Record, TaskParams
from understudy.tasks.one_page import OnePage


class VideoParams(TaskParams):
    """The film, as a served file, and its transcript."""

    asset: str = ""
    transcript: str = ""
    must_end: bool = True
    captions: str = ""
    """Captions in WebVTT, as a served file; none when empty."""


class VideoResponse(Record):
    """How much of the film ran on the screen, from 0 to 1."""

    watched_share: float


@register("tasks", "video")
class Video(OnePage):
    """Plays a film; the answer `watched_share` says how much of it ran on the screen."""

    Params: ClassVar[type[TaskParams]] = VideoParams
    Response: ClassVar[type[Record]] = VideoResponse
    typical: ClassVar[Json] = {"watched_share": 1.0}
    asset: AssetPath
    """The film; a path relative to the study file."""
    transcript: str = ""
    must_end: bool = True
    """Whether participants can continue only at the end of the film."""
    captions: AssetPath | None = None
    """Captions in WebVTT; a path relative to the study file."""

    @property
    def questions(self) -> tuple[Question, ...]:
        """How much was watched; the page answers by itself."""
        return (Number(question_id="watched_share", prompt="Share of the film that was played", low=0, high=1),)
