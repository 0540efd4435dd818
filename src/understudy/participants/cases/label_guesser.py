"""The label guesser: assumes that the model is correct."""

from typing import ClassVar

from understudy.participants.cases.mind import ATTENTIVE, CaseHabits, CaseMind
from understudy.participants.cases.page import CasePage
from understudy.registry import register
from understudy.roles import Reaction, Rng, Scene
from understudy.schema import Ability, Impression, Record, Trial


@register("participants", "label_guesser")
class LabelGuesser(Record):
    """Answers the true label if it is shown, and guesses otherwise; correct half of the time on balanced items."""

    ability: ClassVar[Ability] = ATTENTIVE
    habits: CaseHabits = CaseHabits(case_s=5.0, explanation_s=1.0)

    def mind(self) -> CaseMind:
        """Return a person for one session."""
        return CaseMind(self.habits, TrueLabel())

    def respond(self, trial: Trial, impression: Impression, rng: Rng, scene: Scene | None) -> Reaction | None:
        """Answer as a person at the start of a session."""
        return self.mind().respond(trial, impression, rng, scene)


class TrueLabel:
    """Answers the true label and learns nothing."""

    def study(self, page: CasePage, rng: Rng) -> None:
        """Ignore the page."""

    def predict(self, page: CasePage, options: tuple[str, ...], rng: Rng) -> str | None:
        """Return the label."""
        return page.label
