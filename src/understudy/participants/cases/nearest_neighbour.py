"""The nearest-neighbour person: remembers a few cases, and answers as for the most similar one."""

from collections import deque
from typing import NamedTuple

from pydantic import Field

from understudy.participants.cases.mind import CasePerson
from understudy.participants.cases.page import Case, CasePage
from understudy.registry import register
from understudy.roles import Rng


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
