"""What a person reads on a page with a case: its facts, the revealed labels and the explanation."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple, TypeAlias

from pydantic import JsonValue

from understudy.schema import Attribution, Explanation, Json, RuleExplanation, Several, TokenAttribution, Trial

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
