"""The LIME reader: a linear learner who adds up the weights in explanations."""

from collections import defaultdict
from math import isfinite

from pydantic import Field

from understudy.participants.cases.mind import CaseHabits, CasePerson
from understudy.participants.cases.page import CasePage, Fact, Weights
from understudy.registry import register
from understudy.roles import Rng


@register("participants", "lime_reader")
class LimeReader(CasePerson):
    """Learns the weight of each value or word from the explanations of the examples, and decides by the sum.

    For an edited case, it subtracts the weights of removed facts from the evidence for the original, and adds what the
    new ones weighed in examples. An unfamiliar number weighs as much as the nearest familiar one. Weights for different labels
    are remembered apart; the label with the most evidence is the answer. Without weights, read or remembered, it guesses.
    """

    habits: CaseHabits = CaseHabits(case_s=10.0, explanation_s=9.0)
    tipping: float = Field(default=0.5)
    """Evidence above this favours the label that weights point to; 0 if explanations state no baseline."""

    def strategy(self) -> "WeightSums":
        """Return how the person predicts."""
        return WeightSums(self.tipping)


class WeightSums:
    """The average weight of each fact over the explanations read, for each label that weights point to."""

    def __init__(self, tipping: float) -> None:
        self._tipping = tipping
        self._read: dict[str | None, dict[Fact, list[float]]] = {}
        self._baselines: dict[str | None, list[float]] = defaultdict(list)

    def study(self, page: CasePage, rng: Rng) -> None:
        """Remember the weights."""
        if page.weights is None:
            return
        toward = page.weights.toward
        of_label = self._read.setdefault(toward, defaultdict(list))
        for fact, weight in page.weights.of.items():
            of_label[fact].append(weight)
        if page.weights.baseline is not None:
            self._baselines[toward].append(page.weights.baseline)

    def predict(self, page: CasePage, options: tuple[str, ...], rng: Rng) -> str | None:
        """Add up the remembered weights of the case's facts."""
        if page.edited is not None and page.weights is not None:
            return self._edited(page, page.weights, options)
        evidence = {
            toward: sum(self._remembered(fact, toward) for fact in page.asked.known)
            for toward, of_label in self._read.items()
            if any(self._nearest_known(fact, toward) in of_label for fact in page.asked.known)
        }
        if not evidence:
            return None
        sums = {toward: total + _mean(self._baselines[toward] or [0.0]) for toward, total in evidence.items()}
        best = max(sums, key=lambda toward: sums[toward])
        if len(sums) > 1:
            return best
        return _side(sums[best] > (self._tipping if self._baselines[best] else 0.0), best, options)

    def _edited(self, page: CasePage, weights: Weights, options: tuple[str, ...]) -> str | None:
        gone, new = page.case.known - page.asked.known, page.asked.known - page.case.known
        toward = weights.toward
        shift = sum(self._remembered(fact, toward) for fact in new) - sum(weights.of.get(fact, 0.0) for fact in gone)
        if shift == 0:
            return page.prediction
        tipping = 0.0 if weights.baseline is None else self._tipping
        evidence = (weights.baseline or 0.0) + sum(weights.of.values()) + shift
        return _side(evidence > tipping, toward, options)

    def _remembered(self, fact: Fact, toward: str | None) -> float:
        known, of_label = self._nearest_known(fact, toward), self._read.get(toward, {})
        return _mean(of_label[known]) if known in of_label else 0.0

    def _nearest_known(self, fact: Fact, toward: str | None) -> Fact:
        """Return the fact itself, or, for an unfamiliar number, the nearest familiar one of the same feature."""
        size, of_label = _number(fact), self._read.get(toward, {})
        if fact in of_label or size is None:
            return fact
        numbers = {known: _number(known) for known in of_label if known[0] == fact[0]}
        distances = {known: abs(number - size) for known, number in numbers.items() if number is not None}
        # The fact itself breaks ties, so that the answer does not depend on the order of reading.
        return min(distances, key=lambda known: (distances[known], known), default=fact)


def _side(is_toward: bool, toward: str | None, options: tuple[str, ...]) -> str | None:
    """Return the label that the evidence favours; None if several others remain."""
    if toward is None or is_toward:
        return toward
    others = [option for option in options if option != toward]
    return others[0] if len(others) == 1 else None


def _number(fact: Fact) -> float | None:
    """Return the value of a numeric field; numbers in a sentence are words."""
    try:
        number = float(fact[1])
    except ValueError:
        return None
    return number if fact[0] and isfinite(number) else None


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)
