"""The common part of tasks that are a single page: it needs no items, and shows the fields of the task."""

from collections.abc import Sequence
from typing import ClassVar, Literal

from understudy.roles import Rng
from understudy.schema import Answers, Draft, Json, Question, Record, Stimulus, TaskParams


class OnePage(Record):
    """Shows one page; each task says what it is shown, and may ask something."""

    version: ClassVar[str] = "1"
    Params: ClassVar[type[TaskParams]]
    Response: ClassVar[type[Record]] = Answers
    typical: ClassVar[Json] = {}
    """Question id -> the usual answer."""

    @property
    def questions(self) -> tuple[Question, ...]:
        """Nothing is asked."""
        return ()

    def drafts(self, stimuli: Sequence[Stimulus], rng: Rng) -> Sequence[Draft]:
        """Return the one page."""
        # Params leave out the fields that the page is not shown, and have a default for those that are absent.
        params = self.Params.model_validate({name: value for name, value in self if value is not None})
        return [Draft(params=params, asks=self.questions, typical=self.typical)]


class FormParams(TaskParams):
    """The text above the questions."""

    text: str = ""


class FormTask(Record):
    """One page with a text and questions that the study writes."""

    version: ClassVar[str] = "1"
    Params: ClassVar[type[TaskParams]] = FormParams
    Response: ClassVar[type[Record]] = Answers
    text: str = ""


class StandardForm(OnePage):
    """Asks the same questions in every study, in its language."""

    Params: ClassVar[type[TaskParams]] = FormParams
    language: Literal["en", "de"] = "en"
    """The language of the questions; give that of the study."""
