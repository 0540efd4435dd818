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
    new ones weighed in examples. An unfamiliar number weighs as much as the nearest familiar one. Without weights, read
    or remembered, it guesses.
    """

    habits: CaseHabits = CaseHabits(case_s=10.0, explanation_s=9.0)
    tipping: float = Field(default=0.5)
    """Evidence above this favours the label that weights point to; 0 if explanations state no baseline."""

    def strategy(self) -> "WeightSums":
        """Return how the person predicts."""
        return WeightSums(self.tipping)


class WeightSums:
    """The average weight of each fact over the explanations read."""

    def __init__(self, tipping: float) -> None:
        self._tipping = tipping
        self._read: dict[Fact, list[float]] = defaultdict(list)
        self._baselines: list[float] = []
        self._toward: str | None = None

    def study(self, page: CasePage, rng: Rng) -> None:
        """Remember the weights."""
        if page.weights is None:
            return
        self._toward = page.weights.toward or self._toward
        for fact, weight in page.weights.of.items():
            self._read[fact].append(weight)
        if page.weights.baseline is not None:
            self._baselines.append(page.weights.baseline)

    def predict(self, page: CasePage, options: tuple[str, ...], rng: Rng) -> str | None:
        """Add up the remembered weights of the case's facts."""
        if page.edited is not None and page.weights is not None:
            return self._edited(page, page.weights, options)
        known = [fact for fact in page.asked.known if self._nearest_known(fact) in self._read]
        if not known:
            return None
        evidence = sum(self._remembered(fact) for fact in known)
        if not self._baselines:
            return _side(evidence > 0, self._toward, options)
        return _side(evidence + _mean(self._baselines) > self._tipping, self._toward, options)

    def _edited(self, page: CasePage, weights: Weights, options: tuple[str, ...]) -> str | None:
        gone, new = page.case.known - page.asked.known, page.asked.known - page.case.known
        shift = sum(self._remembered(fact) for fact in new) - sum(weights.of.get(fact, 0.0) for fact in gone)
        if shift == 0:
            return page.prediction
        tipping = 0.0 if weights.baseline is None else self._tipping
        evidence = (weights.baseline or 0.0) + sum(weights.of.values()) + shift
        return _side(evidence > tipping, weights.toward or self._toward, options)

    def _remembered(self, fact: Fact) -> float:
        known = self._nearest_known(fact)
        return _mean(self._read[known]) if known in self._read else 0.0

    def _nearest_known(self, fact: Fact) -> Fact:
        """Return the fact itself, or, for an unfamiliar number, the nearest familiar one of the same feature."""
        size = _number(fact)
        if fact in self._read or size is None:
            return fact
        numbers = {known: _number(known) for known in self._read if known[0] == fact[0]}
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
