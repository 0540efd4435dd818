"""Disclosure: how somebody did in an earlier part, by a named rule, and questions about it."""

from collections.abc import Sequence

from pydantic import Field

from understudy.registry import register
from understudy.roles import AnsweredTrial, AskedIn, Rng
from understudy.schema import Draft, Question, ShownResult, Stimulus
from understudy.tasks.one_page import FormParams, FormTask
from understudy.tasks.result_rules import ResultRule, results_by


@register("tasks", "disclosure")
class Disclosure(FormTask):
    """Tells people their results, which the server computes when the page is reached; it may ask something below."""

    rules: tuple[ResultRule, ...] = Field(min_length=1)
    """How results are made, in the order in which they are shown. Stays on the server."""
    questions: tuple[Question, ...] = ()

    @property
    def told_about(self) -> tuple[AskedIn, ...]:
        """What the results are about."""
        return tuple(AskedIn(rule.block, rule.question) for rule in self.rules)

    def results(self, answered: Sequence[AnsweredTrial], rng: Rng) -> tuple[ShownResult, ...]:
        """Return what the page tells."""
        return results_by(self.rules, answered, rng)

    def drafts(self, stimuli: Sequence[Stimulus], rng: Rng) -> Sequence[Draft]:
        """Return the one page."""
        return [Draft(params=FormParams(text=self.text), asks=self.questions)]
