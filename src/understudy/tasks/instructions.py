"""Instructions: pages to read, at the reader's own pace."""

from collections.abc import Sequence
from typing import ClassVar

from pydantic import Field, model_validator

from understudy.registry import register
from understudy.roles import Rng
from understudy.schema import AnyExplanation, AssetPath, Draft, Json, Question, Record, Stimulus, json_from_record


class Example(Record):
    """A made-up case with what a method says about it, drawn as later pages draw such things."""

    caption: str = ""
    content: Json = {}
    """The case; a page whose example has none shows no example."""
    explanation: AnyExplanation | None = None


@register("tasks", "instructions")
class Instructions(Record):
    """Shows pages of text, with pictures where given; asks nothing."""

    version: ClassVar[str] = "1"
    pages: tuple[str, ...] = Field(min_length=1)
    assets: tuple[AssetPath, ...] = ()
    """Files shown beside the pages, in their order; paths relative to the study file."""
    examples: tuple[Example, ...] = ()
    """Examples drawn below the pages, in their order; an empty one below a page that needs none."""

    @model_validator(mode="after")
    def _examples_fit(self) -> "Instructions":
        if len(self.examples) > len(self.pages):
            raise ValueError(
                f"there are {len(self.examples)} examples for {len(self.pages)} pages. Give at most one for each page."
            )
        for example in self.examples:
            if example.explanation is not None and not example.content:
                raise ValueError("an example explains a case that it does not show. Give its content.")
        return self

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
        params: Json = {"pages": [*self.pages], "assets": [*self.assets]}
        if self.examples:
            params["examples"] = [json_from_record(example) for example in self.examples]
        return [Draft(params=params)]
