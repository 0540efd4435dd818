"""Consent: what taking part means, and whether the person agrees."""

from collections.abc import Sequence
from typing import ClassVar, Literal

from understudy.registry import register
from understudy.roles import Rng
from understudy.schema import Choice, Draft, Question, Record, Stimulus, TaskParams

AGREES: Literal["I agree"] = "I agree"
DECLINES: Literal["I do not agree"] = "I do not agree"


class ConsentParams(TaskParams):
    """The consent text, and whom to contact."""

    text: str = ""
    contact: str = ""


class ConsentResponse(Record):
    """Whether the person takes part."""

    consent: Literal["I agree", "I do not agree"]


@register("tasks", "consent")
class Consent(Record):
    """Shows the consent text; the answer `consent` is 'I agree' or 'I do not agree'."""

    version: ClassVar[str] = "1"
    Params: ClassVar[type[TaskParams]] = ConsentParams
    Response: ClassVar[type[Record]] = ConsentResponse
    text: str
    contact: str = ""

    @property
    def questions(self) -> tuple[Question, ...]:
        """Whether the person takes part."""
        return (Choice(question_id="consent", prompt="Would you like to take part?", options=(AGREES, DECLINES)),)

    @property
    def keyed(self) -> frozenset[str]:
        """Nothing is judged."""
        return frozenset()

    def drafts(self, stimuli: Sequence[Stimulus], rng: Rng) -> Sequence[Draft]:
        """Return the one page."""
        params = ConsentParams(text=self.text, contact=self.contact)
        return [Draft(params=params, asks=self.questions, typical={"consent": AGREES})]
