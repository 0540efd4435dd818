"""The general cast: simulated people who answer every kind of question."""

from math import exp

from pydantic import Field

from understudy.participants.answers import effortless_answer, impressed_answer, random_answer
from understudy.registry import create, register
from understudy.roles import Participant, Reaction, Rng, Scene, mind_of
from understudy.schema import Impression, Json, Record, Ref, Trial


@register("participants", "guesser")
class Guesser(Record):
    """Answers at random."""

    median_s: float = Field(default=4.0, gt=0)

    def respond(self, trial: Trial, impression: Impression, rng: Rng, scene: Scene | None) -> Reaction | None:
        """Guess every answer."""
        return _reaction(trial, {q.question_id: random_answer(q, rng) for q in trial.asks}, self.median_s, rng)


@register("participants", "careful")
class Careful(Record):
    """Always answers by impression."""

    median_s: float = Field(default=9.0, gt=0)

    def respond(self, trial: Trial, impression: Impression, rng: Rng, scene: Scene | None) -> Reaction | None:
        """Answer by impression."""
        answers = {q.question_id: impressed_answer(q, impression, rng) for q in trial.asks}
        return _reaction(trial, answers, self.median_s, rng)


@register("participants", "noisy")
class Noisy(Record):
    """Answers by impression, but sometimes guesses."""

    lapse: float = Field(default=0.15, ge=0, le=1)
    median_s: float = Field(default=7.0, gt=0)

    def respond(self, trial: Trial, impression: Impression, rng: Rng, scene: Scene | None) -> Reaction | None:
        """Guess or answer by impression."""
        return _lapsing(trial, impression, rng, lapse=self.lapse, median_s=self.median_s)


@register("participants", "learner")
class Learner(Record):
    """Starts by guessing and learns to answer by impression; lapses halve every `half_life` trials."""

    first_lapse: float = Field(default=0.8, ge=0, le=1)
    half_life: float = Field(default=5.0, gt=0)
    median_s: float = Field(default=9.0, gt=0)

    def respond(self, trial: Trial, impression: Impression, rng: Rng, scene: Scene | None) -> Reaction | None:
        """Lapse less with every trial."""
        lapse = self.first_lapse * 0.5 ** (impression.n_seen / self.half_life)
        return _lapsing(trial, impression, rng, lapse=lapse, median_s=self.median_s)


@register("participants", "straight_liner")
class StraightLiner(Record):
    """Quickly takes the first option or the middle of every scale."""

    median_s: float = Field(default=1.2, gt=0)

    def respond(self, trial: Trial, impression: Impression, rng: Rng, scene: Scene | None) -> Reaction | None:
        """Answer with the least effort."""
        return _reaction(trial, {q.question_id: effortless_answer(q) for q in trial.asks}, self.median_s, rng)


@register("participants", "dropout")
class Dropout(Record):
    """Leaves before a trial with a fixed probability; behaves like another participant until then."""

    hazard: float = Field(default=0.03, ge=0, le=1)
    until_then: Ref = Ref(name="careful")

    def mind(self) -> "DropoutMind":
        """Return a person for one session, with the memory of the other participant."""
        return DropoutMind(self.hazard, mind_of(create("participants", self.until_then)))

    def respond(self, trial: Trial, impression: Impression, rng: Rng, scene: Scene | None) -> Reaction | None:
        """Leave, or answer as the other participant would."""
        return self.mind().respond(trial, impression, rng, scene)


class DropoutMind:
    """A person who may leave before any trial."""

    def __init__(self, hazard: float, until_then: Participant) -> None:
        self._hazard = hazard
        self._until_then = until_then

    def respond(self, trial: Trial, impression: Impression, rng: Rng, scene: Scene | None) -> Reaction | None:
        """Leave, or answer as the other participant would."""
        return None if rng.random() < self._hazard else self._until_then.respond(trial, impression, rng, scene)


def _lapsing(trial: Trial, impression: Impression, rng: Rng, *, lapse: float, median_s: float) -> Reaction:
    answers: Json = {
        q.question_id: random_answer(q, rng) if rng.random() < lapse else impressed_answer(q, impression, rng)
        for q in trial.asks
    }
    return _reaction(trial, answers, median_s, rng)


def _reaction(trial: Trial, answers: Json, median_s: float, rng: Rng) -> Reaction:
    # Log-normal, as response times roughly are.
    rt_ms = 1000 * median_s * exp(0.4 * float(rng.standard_normal()))
    return Reaction(response={**answers, **trial.typical}, rt_ms=rt_ms)
