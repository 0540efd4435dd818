"""SEQ: the single question on how easy or hard a task was."""

from typing import ClassVar

from understudy.registry import register
from understudy.schema import Question, Rating, Record
from understudy.tasks.one_page import StandardForm

_WORDS = {
    "en": ("Overall, how easy or hard was this part?", "Very easy", "Very hard"),
    "de": ("Wie leicht oder schwer war dieser Teil insgesamt?", "Sehr leicht", "Sehr schwer"),
}


class SeqResponse(Record):
    """How hard it was, from 1 to 7."""

    difficulty: int


@register("tasks", "seq")
class Seq(StandardForm):
    """Asks how hard the part before was; the answer `difficulty` goes from 1, very easy, to 7, very hard."""

    Response: ClassVar[type[Record]] = SeqResponse
    text: str = ""

    @property
    def questions(self) -> tuple[Question, ...]:
        """The single question."""
        prompt, low, high = _WORDS[self.language]
        return (Rating(question_id="difficulty", prompt=prompt, points=7, low_label=low, high_label=high),)
