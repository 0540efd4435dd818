"""The prior-only person: remembers how often the model gave each answer, and nothing about cases."""

from collections import Counter

from understudy.participants.cases.mind import CaseHabits, CasePerson
from understudy.participants.cases.page import CasePage
from understudy.registry import register
from understudy.roles import Rng


@register("participants", "prior_only")
class PriorOnly(CasePerson):
    """Gives each answer as often as the model gave it in the examples; guesses before the first example."""

    habits: CaseHabits = CaseHabits(case_s=4.0, explanation_s=1.0)

    def strategy(self) -> "Frequencies":
        """Return how the person predicts."""
        return Frequencies()


class Frequencies:
    """Counts answers."""

    def __init__(self) -> None:
        self._seen: Counter[str] = Counter()

    def study(self, page: CasePage, rng: Rng) -> None:
        """Count the answer."""
        if page.prediction is not None:
            self._seen[page.prediction] += 1

    def predict(self, page: CasePage, options: tuple[str, ...], rng: Rng) -> str | None:
        """Draw an answer in proportion to the counts."""
        counts = [self._seen[option] for option in options]
        total = sum(counts)
        if total == 0:
            return None
        return str(rng.choice(list(options), p=[count / total for count in counts]))
