"""People who predict a model: by guessing, by neighbours, by weights and by rules."""

from collections import Counter, defaultdict, deque
from math import isfinite
from typing import NamedTuple

from pydantic import Field

from understudy.participants.case_page import Case, CaseHabits, CasePage, CasePerson, Fact, Rule, Weights
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


# The LIME reader: a linear learner who adds up the weights in explanations.


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


# The nearest-neighbour person: remembers a few cases, and answers as for the most similar one.


@register("participants", "nearest_neighbour")
class NearestNeighbour(CasePerson):
    """Remembers the latest examples, forgets some, and answers as the most similar one was answered.

    An edited case is most similar to its original, so its answer seems unchanged.
    """

    n_kept: int = Field(default=7, ge=1, le=100_000)
    """The most examples in memory; the oldest is dropped first."""
    forgets: float = Field(default=0.02, ge=0, le=1)
    """The chance to forget each example whenever another case is read."""

    def strategy(self) -> "Memory":
        """Return how the person predicts."""
        return Memory(self.n_kept, self.forgets)


class _Example(NamedTuple):
    case: Case
    answer: str


class Memory:
    """The examples that a person still remembers."""

    def __init__(self, n_kept: int, forgets: float) -> None:
        self._examples: deque[_Example] = deque(maxlen=n_kept)
        self._forgets = forgets

    def study(self, page: CasePage, rng: Rng) -> None:
        """Remember an example; a repeated one is stored once."""
        self._forget(rng)
        if page.prediction is not None:
            example = _Example(page.case, page.prediction)
            if example in self._examples:
                self._examples.remove(example)
            self._examples.append(example)

    def predict(self, page: CasePage, options: tuple[str, ...], rng: Rng) -> str | None:
        """Return the answer to the most similar example; among equals, the latest."""
        self._forget(rng)
        examples = list(self._examples)
        if page.edited is not None and page.prediction is not None:
            examples.append(_Example(page.case, page.prediction))
        if not examples:
            return None
        similarities = [_similarity(example.case, page.asked) for example in examples]
        best = max(range(len(examples)), key=lambda index: (similarities[index], index))
        return examples[best].answer

    def _forget(self, rng: Rng) -> None:
        for example in [example for example in self._examples if rng.random() < self._forgets]:
            self._examples.remove(example)


def _similarity(first: Case, second: Case) -> float:
    """Return the share of facts that two cases have in common (the Jaccard index)."""
    either = first.known | second.known
    return len(first.known & second.known) / len(either) if either else 0.0


# The prior-only person: remembers how often the model gave each answer, and nothing about cases.


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


# The rule follower: remembers rules, and answers by the longest that applies.


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
