"""The rule follower: remembers rules, and answers by the longest that applies."""

from understudy.participants.cases.mind import CaseHabits, CasePerson
from understudy.participants.cases.page import CasePage, Rule
from understudy.registry import register
from understudy.roles import Rng


@register("participants", "rule_follower")
class RuleFollower(CasePerson):
    """Answers by the longest remembered rule that applies; guesses if none does.

    For an edited case, it assumes that the answer changes if the edit breaks the rule shown, and stays otherwise.
    """

    habits: CaseHabits = CaseHabits(case_s=9.0, explanation_s=5.0)

    def strategy(self) -> "Rules":
        """Return how the person predicts."""
        return Rules()


class Rules:
    """The rules stated by explanations, in the order of reading."""

    def __init__(self) -> None:
        self._known: list[Rule] = []

    def study(self, page: CasePage, rng: Rng) -> None:
        """Remember the rule."""
        if page.rule is not None:
            self._known.append(page.rule)

    def predict(self, page: CasePage, options: tuple[str, ...], rng: Rng) -> str | None:
        """Apply the rule shown with an edited case, or else one from memory."""
        if page.edited is not None and page.rule is not None:
            if page.rule.facts <= page.edited.known:
                return page.prediction
            others = [option for option in options if option != page.prediction]
            return others[0] if len(others) == 1 else None
        applicable = [rule for rule in self._known if rule.facts <= page.asked.known]
        return max(applicable, key=lambda rule: len(rule.facts)).label if applicable else None
