"""Instructions: pages to read, at the reader's own pace."""

from collections.abc import Sequence
from typing import ClassVar

from pydantic import Field

from understudy.registry import register
from understudy.roles import Rng
from understudy.schema import AssetPath, Draft, Question, Record, Stimulus


@register("tasks", "instructions")
class Instructions(Record):
    """Shows pages of text, with pictures where given; asks nothing."""

    version: ClassVar[str] = "1"
    pages: tuple[str, ...] = Field(min_length=1)
    assets: tuple[AssetPath, ...] = ()
    """Files shown beside the pages, in their order; paths relative to the study file."""

    @property
    def questions(self) -> tuple[Question, ...]:
        """Nothing is asked."""
        return ()

    @property
    def keyed(self) -> frozenset[str]:
        """Nothing is judged."""
        return frozenset()

    def drafts(self, stimuli: Sequence[Stimulus], rng: Rng) -> Sequence[Draft]:
        """Return the pages as one draft."""
        return [Draft(params={"pages": list(self.pages), "assets": list(self.assets)})]
