"""Instructions: pages to read, at the reader's own pace."""

import hashlib
from base64 import b64decode
from collections.abc import Mapping
from typing import ClassVar

from pydantic import Field, model_validator

from understudy.registry import register
from understudy.schema import AnyExplanation, AssetPath, Display, Json, Record, TaskParams, files_named_in
from understudy.tasks.one_page import OnePage


class Example(Record):
    """An invented case with an explanation, drawn as on later pages."""

    caption: str = ""
    content: Json = {}
    """The case; a page whose example has none shows no example."""
    explanation: AnyExplanation | None = None
    picture: str = Field(default="", exclude=True)
    """Base64 of a small PNG file that the case shows under its content address; the page loads it from there."""

    @model_validator(mode="after")
    def _picture_is_shown(self) -> "Example":
        try:
            file = self.picture_file
        except ValueError:
            raise ValueError("the picture of an example is not base64. Encode the bytes of a PNG file.") from None
        if file and not any(files_named_in(self.content, frozenset(file))):
            raise ValueError(f"an example has a picture that its content does not show. Name it: {', '.join(file)}.")
        return self

    @property
    def picture_file(self) -> dict[str, bytes]:
        """The picture under its content address; empty where there is none."""
        content = b64decode(self.picture, validate=True)
        return {f"{hashlib.sha256(content).hexdigest()}.png": content} if content else {}


class InstructionsParams(TaskParams):
    """The pages, and the files and examples that belong to them, in the same order."""

    pages: tuple[str, ...] = ()
    assets: tuple[str, ...] = ()
    examples: tuple[Example, ...] = ()
    display: Display = Display()


@register("tasks", "instructions")
class Instructions(OnePage):
    """Shows pages of text, with pictures where given, and an explanation of the model below the last; asks nothing."""

    shows_explanation: ClassVar[bool] = True
    Params: ClassVar[type[TaskParams]] = InstructionsParams
    pages: tuple[str, ...] = Field(min_length=1)
    assets: tuple[AssetPath, ...] = ()
    """Files shown next to the pages, in their order; paths relative to the study file."""
    examples: tuple[Example, ...] = ()
    """Examples drawn below the pages, in their order; an empty one below a page that needs none."""
    display: Display = Display()
    """How heat maps of examples are drawn."""

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
    def files(self) -> Mapping[str, bytes]:
        """The pictures of the examples."""
        return {address: content for example in self.examples for address, content in example.picture_file.items()}
