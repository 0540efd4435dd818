"""Video: a film with its transcript, and evidence of how much of it was watched."""

from collections.abc import Sequence
from typing import ClassVar

from understudy.registry import register
from understudy.roles import Rng
from understudy.schema import AssetPath, Draft, Number, Question, Record, Stimulus, TaskParams


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
class Video(Record):
    """Plays a film; the answer `watched_share` says how much of it ran on the screen."""

    version: ClassVar[str] = "1"
    Params: ClassVar[type[TaskParams]] = VideoParams
    Response: ClassVar[type[Record]] = VideoResponse
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

    @property
    def keyed(self) -> frozenset[str]:
        """Nothing is judged."""
        return frozenset()

    def drafts(self, stimuli: Sequence[Stimulus], rng: Rng) -> Sequence[Draft]:
        """Return the one page."""
        params = VideoParams(
            asset=self.asset, transcript=self.transcript, must_end=self.must_end, captions=self.captions or ""
        )
        return [Draft(params=params, asks=self.questions, typical={"watched_share": 1.0})]
