"""Questionnaire: questions on one page, with a key if there are right answers."""

from collections.abc import Sequence

from pydantic import Field, model_validator

from understudy.registry import register
from understudy.roles import Rng
from understudy.schema import Draft, Json, Question, Stimulus
from understudy.tasks.one_page import FormParams, FormTask


@register("tasks", "questionnaire")
class Questionnaire(FormTask):
    """Asks questions without an item: self-reports, demographics, or a comprehension test with its key."""

    questions: tuple[Question, ...] = Field(min_length=1)
    answers: Json = {}
    """Question id -> right answer, for questions that have one. Stays on the server."""

    @model_validator(mode="after")
    def _answers_fit(self) -> "Questionnaire":
        asked = {question.question_id: question for question in self.questions}
        for question_id, answer in self.answers.items():
            if question_id not in asked:
                raise ValueError(f"the key answers {question_id!r}, which is not asked. Asked are: {', '.join(asked)}.")
            if not asked[question_id].accepts(answer):
                raise ValueError(f"the key says {answer!r} for {question_id!r}, which is not a possible answer to it.")
        return self

    @property
    def keyed(self) -> frozenset[str]:
        """The questions the key answers."""
        return frozenset(self.answers)

    def drafts(self, stimuli: Sequence[Stimulus], rng: Rng) -> Sequence[Draft]:
        """Return the one page."""
        return [Draft(params=FormParams(text=self.text), asks=self.questions, answers=self.answers)]
