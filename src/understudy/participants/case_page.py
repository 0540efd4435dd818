"""Pages with a case, as a simulated person reads and thinks about them."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from math import exp
from typing import ClassVar, NamedTuple, Protocol, TypeAlias

from pydantic import Field, JsonValue

from understudy.participants.people import random_answer
from understudy.registry import create
from understudy.roles import Participant, Reaction, Rng, Scene
from understudy.schema import (
    Ability,
    Attribution,
    Choice,
    Explanation,
    Impression,
    Json,
    Record,
    Ref,
    RuleExplanation,
    Several,
    TokenAttribution,
    Trial,
)

Fact: TypeAlias = tuple[str, str]
"""Name and value of a field; a word of a sentence has no name."""


class Case(NamedTuple):
    """One case, as a person reads it."""

    facts: tuple[Fact, ...]

    @property
    def known(self) -> frozenset[Fact]:
        """Return the distinct facts, without order."""
        return frozenset(self.facts)

    def fact(self, name: str) -> Fact | None:
        """Return the fact with this name."""
        return next((fact for fact in self.facts if fact[0] == name), None)


class Weights(NamedTuple):
    """Weights as an explanation lists them, and the evidence without them, if stated."""

    of: Mapping[Fact, float]
    toward: str | None
    baseline: float | None


class Rule(NamedTuple):
    """A rule as an explanation states it: if all facts hold, the label follows."""

    facts: frozenset[Fact]
    label: str


class CasePage(NamedTuple):
    """A page with a case, and its edited version if there is one."""

    case: Case
    edited: Case | None
    label: str | None
    """The true label, if the page shows it."""
    prediction: str | None
    """The model's answer to the case, if the page shows it."""
    weights: Weights | None
    rule: Rule | None

    @property
    def asked(self) -> Case:
        """Return the case that the question is about."""
        return self.edited or self.case


def case_page(trial: Trial) -> CasePage | None:
    """Read a page, or return None if it shows no case."""
    content = trial.params.get("content")
    if not isinstance(content, dict):
        return None
    original, edited = content.get("original"), content.get("edited")
    is_pair = isinstance(original, dict) and isinstance(edited, dict)
    case = _case(original if is_pair else content)
    revealed = _json(trial.params.get("revealed"))
    parts = list(_parts(trial.explanation))
    return CasePage(
        case,
        _case(edited) if is_pair else None,
        _text(revealed.get("label")),
        _text(revealed.get("prediction")),
        next((_weights(part, case) for part in parts if isinstance(part, Attribution | TokenAttribution)), None),
        next((_rule(part) for part in parts if isinstance(part, RuleExplanation)), None),
    )


def _case(content: JsonValue) -> Case:
    shown = _json(content)
    tokens = shown.get("tokens")
    if isinstance(tokens, list):
        return Case(tuple(("", str(word)) for word in tokens))
    return Case(tuple((name, str(value)) for name, value in shown.items()))


def _parts(explanation: Explanation | None) -> Iterator[Explanation]:
    """Yield the explanation, or each of its parts."""
    if explanation is None:
        return
    if not isinstance(explanation, Several):
        yield explanation
        return
    for part in explanation.parts:
        yield from _parts(part)


def _weights(explanation: Attribution | TokenAttribution, case: Case) -> Weights:
    facts = _facts(explanation, case)
    # A weight of zero says nothing, and a feature that the case lacks cannot be matched.
    of = {fact: weight for fact, weight in zip(facts, explanation.weights, strict=True) if fact is not None and weight}
    return Weights(of, explanation.toward, explanation.baseline)


def _facts(explanation: Attribution | TokenAttribution, case: Case) -> list[Fact | None]:
    if isinstance(explanation, TokenAttribution):
        return [("", word) for word in explanation.tokens]
    if explanation.values:
        return [*zip(explanation.features, explanation.values, strict=True)]
    return [case.fact(name) for name in explanation.features]


def _rule(explanation: RuleExplanation) -> Rule:
    facts = frozenset(
        (condition.feature, condition.value or "") if condition.feature is not None else ("", condition.token or "")
        for condition in explanation.conditions
    )
    return Rule(facts, explanation.label)


def _json(value: JsonValue) -> Json:
    return value if isinstance(value, dict) else {}


def _text(value: JsonValue) -> str | None:
    return value if isinstance(value, str) else None


# The common part of people who predict a model's answers: memory for one session, habits and lapses.

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
