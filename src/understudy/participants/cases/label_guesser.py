"""The label guesser: assumes that the model is correct."""

from understudy.participants.cases.mind import CaseHabits, CasePerson
from understudy.participants.cases.page import CasePage
from understudy.registry import register
from understudy.roles import Rng


@register("participants", "label_guesser")
class LabelGuesser(CasePerson):
    """Answers the true label if it is shown, and guesses otherwise; correct half of the time on balanced items."""

    habits: CaseHabits = CaseHabits(case_s=5.0, explanation_s=1.0)

    def strategy(self) -> "TrueLabel":
        """Return how the person predicts."""
        return TrueLabel()


class TrueLabel:
    """Answers the true label and learns nothing."""

    def study(self, page: CasePage, rng: Rng) -> None:
        """Ignore the page."""

    def predict(self, page: CasePage, options: tuple[str, ...], rng: Rng) -> str | None:
        """Return the label."""
        return page.label
