"""SEQ: the single question on how easy or hard a task was."""

from collections.abc import Sequence
from typing import ClassVar, Literal

from understudy.registry import register
from understudy.roles import Rng
from understudy.schema import Draft, Question, Rating, Record, Stimulus, TaskParams
from understudy.tasks.questionnaire import FormParams

_WORDS = {
    "en": ("Overall, how easy or hard was this part?", "Very easy", "Very hard"),
    "de": ("Wie leicht oder schwer war dieser Teil insgesamt?", "Sehr leicht", "Sehr schwer"),
}


class SeqResponse(Record):
    """How hard it was, from 1 to 7."""

    difficulty: int


@register("tasks", "seq")
class Seq(Record):
    """Asks how hard the part before was; the answer `difficulty` goes from 1, very easy, to 7, very hard."""

    version: ClassVar[str] = "1"
    Params: ClassVar[type[TaskParams]] = FormParams
    Response: ClassVar[type[Record]] = SeqResponse
    language: Literal["en", "de"] = "en"
    """The language of the question; give that of the study."""
    text: str = ""

    @property
    def questions(self) -> tuple[Question, ...]:
        """The single question."""
        prompt, low, high = _WORDS[self.language]
        return (Rating(question_id="difficulty", prompt=prompt, points=7, low_label=low, high_label=high),)

    @property
    def keyed(self) -> frozenset[str]:
        """Nothing is judged."""
        return frozenset()

    def drafts(self, stimuli: Sequence[Stimulus], rng: Rng) -> Sequence[Draft]:
        """Return the one page."""
        return [Draft(params=FormParams(text=self.text), asks=self.questions)]
