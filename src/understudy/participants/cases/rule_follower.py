"""The rule follower: keeps rules in mind, and answers by the first that holds."""

from typing import ClassVar

from understudy.participants.cases.mind import ATTENTIVE, CaseHabits, CaseMind
from understudy.participants.cases.page import CasePage, Rule
from understudy.registry import register
from understudy.roles import Reaction, Rng, Scene
from understudy.schema import Ability, Impression, Record, Trial


@register("participants", "rule_follower")
class RuleFollower(Record):
    """Answers as a remembered rule says, the longest one that holds; guesses where none does.

    For an edited case it takes the answer to be changed when the edit breaks the rule beside it, and kept otherwise.
    """

    ability: ClassVar[Ability] = ATTENTIVE
    habits: CaseHabits = CaseHabits(case_s=9.0, explanation_s=5.0)

    def mind(self) -> CaseMind:
        """Return somebody for one session."""
        return CaseMind(self.habits, Rules())

    def respond(self, trial: Trial, impression: Impression, rng: Rng, scene: Scene | None) -> Reaction | None:
        """Answer as somebody who has just come."""
        return self.mind().respond(trial, impression, rng, scene)


class Rules:
    """The rules that explanations stated, in the order of reading."""

    def __init__(self) -> None:
        self._known: list[Rule] = []

    def study(self, page: CasePage, rng: Rng) -> None:
        """Remember the rule."""
        if page.rule is not None:
            self._known.append(page.rule)

    def predict(self, page: CasePage, options: tuple[str, ...], rng: Rng) -> str | None:
        """Look at the rule beside an edited case, or for one in memory."""
        if page.edited is not None and page.rule is not None:
            if page.rule.facts <= page.edited.known:
                return page.prediction
            others = [option for option in options if option != page.prediction]
            return others[0] if len(others) == 1 else None
        holding = [rule for rule in self._known if rule.facts <= page.asked.known]
        return max(holding, key=lambda rule: len(rule.facts)).label if holding else None
