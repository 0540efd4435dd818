"""The common part of people who predict a model's answers: memory for one session, habits and lapses."""

from abc import ABC, abstractmethod
from math import exp
from typing import ClassVar, Protocol

from pydantic import Field

from understudy.participants.answers import random_answer
from understudy.participants.cases.page import CasePage, case_page
from understudy.registry import create
from understudy.roles import Participant, Reaction, Rng, Scene
from understudy.schema import Ability, Choice, Impression, Record, Ref, Trial

ATTENTIVE = Ability(accuracy=0.97)
"""How often they answer questions about other things correctly, such as comprehension checks."""
_SPREAD = 0.4
"""Standard deviation of the logarithm of reading times."""


class CaseHabits(Record):
    """How long they read, how often they lapse, and which question they predict."""

    case_s: float = Field(default=9.0, gt=0)
    """Median reading time of a case, in seconds."""
    explanation_s: float = Field(default=6.0, ge=0)
    """Additional seconds for an explanation."""
    lapse: float = Field(default=0.05, ge=0, le=1)
    """The share of predictions that are guesses."""
    question: str = "prediction"
    """The question about the model's answer."""
    others: Ref = Ref(name="careful")
    """The participant who answers every other question."""


class Strategy(Protocol):
    """A way to predict the model's answer from a page."""

    def study(self, page: CasePage, rng: Rng) -> None:
        """Learn from a case whose answer is shown."""

    def predict(self, page: CasePage, options: tuple[str, ...], rng: Rng) -> str | None:
        """Return the predicted answer, or None without any evidence."""


class CaseMind:
    """One person in one session: studies cases, predicts, and leaves other questions to another participant."""

    def __init__(self, habits: CaseHabits, strategy: Strategy) -> None:
        self._habits = habits
        self._strategy = strategy
        self._others: Participant = create("participants", habits.others)

    def respond(self, trial: Trial, impression: Impression, rng: Rng, scene: Scene | None) -> Reaction | None:
        """Predict with the strategy; study a page that shows the answer without asking for it."""
        page = case_page(trial)
        if page is None:
            return self._others.respond(trial, impression, rng, scene)
        asked = next((question for question in trial.asks if question.question_id == self._habits.question), None)
        rest = trial.model_copy(update={"asks": tuple(question for question in trial.asks if question is not asked)})
        answered = self._others.respond(rest, impression, rng, scene)
        if answered is None:
            return None
        response = dict(answered.response)
        if isinstance(asked, Choice):
            predicted = self._strategy.predict(page, asked.options, rng)
            is_guess = predicted not in asked.options or rng.random() < self._habits.lapse
            response[asked.question_id] = random_answer(asked, rng) if is_guess else predicted
        elif asked is not None:
            response[asked.question_id] = random_answer(asked, rng)
        elif page.prediction is not None:
            self._strategy.study(page, rng)
        median_s = self._habits.case_s + (self._habits.explanation_s if trial.explanation else 0.0)
        return Reaction(
            response={**response, **trial.typical},
            rt_ms=1000 * median_s * exp(_SPREAD * float(rng.standard_normal())),
        )


class CasePerson(Record, ABC):
    """Somebody who learns about a model from cases; each says with which strategy."""

    ability: ClassVar[Ability] = ATTENTIVE
    habits: CaseHabits = CaseHabits()

    @abstractmethod
    def strategy(self) -> Strategy:
        """Return how the person predicts, with an empty memory."""

    def mind(self) -> CaseMind:
        """Return a person for one session."""
        return CaseMind(self.habits, self.strategy())

    def respond(self, trial: Trial, impression: Impression, rng: Rng, scene: Scene | None) -> Reaction | None:
        """Answer as a person at the start of a session."""
        return self.mind().respond(trial, impression, rng, scene)
