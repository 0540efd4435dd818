"""Consent: what taking part means, and whether the person agrees."""

from typing import ClassVar, Literal

from understudy.registry import register
from understudy.schema import Choice, Json, Question, Record, TaskParams
from understudy.tasks.one_page import OnePage

AGREES: Literal["I agree"] = "I agree"
DECLINES: Literal["I do not agree"] = "I do not agree"


class ConsentTexts(Record):
    """The consent text, and the facts below it."""

    text: str = ""
    contact: str = ""
    """Whom to ask, such as a name and an address."""
    institution: str = ""
    """Who runs the study."""
    ethics: str = ""
    """Which committee approved it, and under which number."""
    duration: str = ""
    """How long it takes; by default what the study's pay says."""
    pay: str = ""
    """What people are paid; by default what the study's pay says."""
    storage: str = ""
    """What is stored, where, for how long, and who can see it."""
    withdrawal: str = ""
    """How to stop, and what happens to data and pay then."""


class ConsentParams(ConsentTexts, TaskParams):
    """The consent text, and the facts below it."""


class ConsentResponse(Record):
    """Whether the person takes part."""

    consent: Literal["I agree", "I do not agree"]


@register("tasks", "consent")
class Consent(ConsentTexts, OnePage):
    """Shows the consent text; the answer `consent` is 'I agree' or 'I do not agree'."""

    Params: ClassVar[type[TaskParams]] = ConsentParams
    Response: ClassVar[type[Record]] = ConsentResponse
    typical: ClassVar[Json] = {"consent": AGREES}
    text: str

    @property
    def questions(self) -> tuple[Question, ...]:
        """Whether the person takes part."""
        return (Choice(question_id="consent", prompt="Would you like to take part?", options=(AGREES, DECLINES)),)
