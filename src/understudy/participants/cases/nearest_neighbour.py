"""The nearest-neighbour person: keeps a few cases in mind, and answers as for the one most like the case at hand."""

from collections import deque
from typing import ClassVar, NamedTuple

from pydantic import Field

from understudy.participants.cases.mind import ATTENTIVE, CaseHabits, CaseMind
from understudy.participants.cases.page import Case, CasePage
from understudy.registry import register
from understudy.roles import Reaction, Rng, Scene
from understudy.schema import Ability, Impression, Record, Trial


@register("participants", "nearest_neighbour")
class NearestNeighbour(Record):
    """Remembers the last examples, forgets some, and answers as the most similar one was answered.

    An edited case is most like its original, so that its answer seems to stay.
    """

    ability: ClassVar[Ability] = ATTENTIVE
    habits: CaseHabits = CaseHabits()
    n_kept: int = Field(default=7, ge=1)
    """How many examples are kept at most; the oldest makes room."""
    forgets: float = Field(default=0.02, ge=0, le=1)
    """The chance that an example is gone, with every further case that is read."""

    def mind(self) -> CaseMind:
        """Return somebody for one session."""
        return CaseMind(self.habits, Memory(self.n_kept, self.forgets))

    def respond(self, trial: Trial, impression: Impression, rng: Rng, scene: Scene | None) -> Reaction | None:
        """Answer as somebody who has just come."""
        return self.mind().respond(trial, impression, rng, scene)


class _Example(NamedTuple):
    case: Case
    answer: str


class Memory:
    """The examples that somebody still remembers."""

    def __init__(self, n_kept: int, forgets: float) -> None:
        self._kept: deque[_Example] = deque(maxlen=n_kept)
        self._forgets = forgets

    def study(self, page: CasePage, rng: Rng) -> None:
        """Take an example in; one that comes again is remembered once."""
        self._forget(rng)
        if page.prediction is not None:
            example = _Example(page.case, page.prediction)
            if example in self._kept:
                self._kept.remove(example)
            self._kept.append(example)

    def predict(self, page: CasePage, options: tuple[str, ...], rng: Rng) -> str | None:
        """Return the answer to the most similar example; of equals, the latest."""
        self._forget(rng)
        known = list(self._kept)
        if page.edited is not None and page.prediction is not None:
            known.append(_Example(page.case, page.prediction))
        if not known:
            return None
        likeness = [_likeness(example.case, page.asked) for example in known]
        best = max(range(len(known)), key=lambda place: (likeness[place], place))
        return known[best].answer

    def _forget(self, rng: Rng) -> None:
        for example in [one for one in self._kept if rng.random() < self._forgets]:
            self._kept.remove(example)


def _likeness(one: Case, other: Case) -> float:
    """Return the share of facts that two cases have in common."""
    either = one.known | other.known
    return len(one.known & other.known) / len(either) if either else 0.0
