"""What a person reads on a page with a case: its facts, what is told of it, and the explanation, and nothing else."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple, TypeAlias

from pydantic import JsonValue

from understudy.schema import Explanation, Json, Trial

Fact: TypeAlias = tuple[str, str]
"""Name and value of a field; a word of a sentence has no name."""


class Case(NamedTuple):
    """One case, as a person takes it in."""

    facts: tuple[Fact, ...]

    @property
    def known(self) -> frozenset[Fact]:
        """What is there, however often and in whatever order."""
        return frozenset(self.facts)

    def fact(self, name: str) -> Fact | None:
        """Return the fact of that name."""
        return next((fact for fact in self.facts if fact[0] == name), None)


class Weights(NamedTuple):
    """Weights as an explanation lists them, and the evidence without what is listed, where it says so."""

    of: Mapping[Fact, float]
    toward: str | None
    baseline: float | None


class Rule(NamedTuple):
    """A rule as an explanation states it: while all facts hold, the label."""

    facts: frozenset[Fact]
    label: str


class CasePage(NamedTuple):
    """A page with a case, and an edited version of it where there is one."""

    case: Case
    edited: Case | None
    label: str | None
    """The true label, where the page tells it."""
    prediction: str | None
    """The model's answer to the case, where the page tells it."""
    weights: Weights | None
    rule: Rule | None

    @property
    def asked(self) -> Case:
        """The case that a question is about."""
        return self.edited or self.case


def case_page(trial: Trial) -> CasePage | None:
    """Read a page, or return None where it shows no case."""
    content = trial.params.get("content")
    if not isinstance(content, dict):
        return None
    original, edited = content.get("original"), content.get("edited")
    is_pair = isinstance(original, dict) and isinstance(edited, dict)
    case = _case(original if is_pair else content)
    told = _json(trial.params.get("revealed"))
    parts = list(_parts(trial.explanation))
    return CasePage(
        case,
        _case(edited) if is_pair else None,
        _text(told.get("label")),
        _text(told.get("prediction")),
        next((_weights(part, case) for part in parts if part.kind in ("attribution", "token_attribution")), None),
        next((_rule(part) for part in parts if part.kind == "rule"), None),
    )


def _case(content: JsonValue) -> Case:
    shown = _json(content)
    tokens = shown.get("tokens")
    if isinstance(tokens, list):
        return Case(tuple(("", str(word)) for word in tokens))
    return Case(tuple((name, str(value)) for name, value in shown.items()))


def _parts(explanation: Explanation | None) -> Iterator[Explanation]:
    """Yield the explanation, or each part of one that has several."""
    if explanation is None:
        return
    if explanation.kind != "several":
        yield explanation
        return
    for part in _list(explanation.payload.get("parts")):
        yield from _parts(Explanation.model_validate(part))


def _weights(explanation: Explanation, case: Case) -> Weights:
    shown = explanation.payload
    numbers = [_number(one) or 0.0 for one in _list(shown.get("weights"))]
    facts: list[Fact | None]
    if explanation.kind == "token_attribution":
        facts = [("", str(word)) for word in _list(shown.get("tokens"))]
    else:
        names = [str(name) for name in _list(shown.get("features"))]
        values = _list(shown.get("values"))
        facts = [
            (name, str(value)) for name, value in zip(names, values, strict=True)
        ] if values else [case.fact(name) for name in names]  # fmt: skip
    of = {fact: number for fact, number in zip(facts, numbers, strict=True) if fact is not None and number}
    return Weights(of, _text(shown.get("toward")), _number(shown.get("baseline")))


def _rule(explanation: Explanation) -> Rule:
    conditions = [_json(one) for one in _list(explanation.payload.get("conditions"))]
    facts = frozenset(
        ("", str(one["token"])) if "token" in one else (str(one.get("feature")), str(one.get("value")))
        for one in conditions
    )
    return Rule(facts, str(explanation.payload.get("label")))


def _json(value: JsonValue) -> Json:
    return value if isinstance(value, dict) else {}


def _list(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else []


def _text(value: JsonValue) -> str | None:
    return value if isinstance(value, str) else None


def _number(value: JsonValue) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
