"""Pictures inside explanations: a served file, regions of it, and what a screen reader says."""

from pydantic import Field

from understudy.schema.record import Record
from understudy.schema.served_file import FileAddress


class ShownPicture(Record):
    """A picture that is served with the study."""

    file: FileAddress
    width: int = Field(ge=1)
    height: int = Field(ge=1)
    alt: str = ""
    """Describes what a sighted person sees without giving an answer away; if empty, the view names the position."""


class Region(Record):
    """A rectangle in a picture, in shares of its width and height."""

    left: float = Field(ge=0, le=1)
    top: float = Field(ge=0, le=1)
    width: float = Field(gt=0, le=1)
    height: float = Field(gt=0, le=1)
    label: str = ""
