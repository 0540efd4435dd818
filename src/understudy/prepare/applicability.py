"""Applicability: whether the explanation of a case says anything about an edited version of it.

People who predict the answer to an edited case see the explanation of the original. A rule that the edit breaks, or weights
of features that nobody edited, cannot tell them anything (Hase and Bansal, 2020); these flags are facts about items, which
the measure `item_is` turns into columns.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from understudy.schema import Explanation, Json
from understudy.schema.explanations.explanation import Several
from understudy.schema.explanations.features import (
    Attribution,
    EditPath,
    RuleCondition,
    RuleExplanation,
    SimilarCase,
    TokenAttribution,
)

NAMED, HOLDS = "edits_named", "rule_holds"


class _Pair(NamedTuple):
    """A case and its edited version, both as name -> value; a word's name is its position."""

    original: Mapping[str, str]
    edited: Mapping[str, str]

    @property
    def changed(self) -> frozenset[str]:
        names = {*self.original, *self.edited}
        return frozenset(name for name in names if self.original.get(name) != self.edited.get(name))


def applicability(content: Json, explanation: Explanation | None) -> Json:
    """Return what an explanation has to do with an edit; nothing for cases that are not edited.

    `edits_named` is yes if the explanation names an edited feature or word, no otherwise; `rule_holds` says whether the
    conditions of a rule still hold after the edit, and is absent without a rule.
    """
    original, edited = content.get("original"), content.get("edited")
    if explanation is None or not isinstance(original, Mapping) or not isinstance(edited, Mapping):
        return {}
    pair = _Pair(_values(original), _values(edited))
    parts = list(_parts(explanation))
    named = {name for part in parts for name in _named(part, pair)}
    flags: Json = {NAMED: "yes" if named & pair.changed else "no"}
    rules = [part for part in parts if isinstance(part, RuleExplanation)]
    if rules:
        is_held = all(_holds(condition, pair) for rule in rules for condition in rule.conditions)
        flags[HOLDS] = "yes" if is_held else "no"
    return flags


def _parts(explanation: Explanation) -> Iterator[Explanation]:
    if isinstance(explanation, Several):
        for part in explanation.parts:
            yield from _parts(part)
    else:
        yield explanation


def _values(case: Mapping[str, Any]) -> dict[str, str]:
    tokens = case.get("tokens")
    if isinstance(tokens, Sequence) and not isinstance(tokens, str):
        return {str(position): str(token) for position, token in enumerate(tokens)}
    return {str(name): str(value) for name, value in case.items()}


def _named(part: Explanation, pair: _Pair) -> Iterator[str]:
    """Yield the features or positions that an explanation names."""
    match part:
        case TokenAttribution():
            yield from (str(position) for position, weight in enumerate(part.weights) if weight)
        case Attribution():
            yield from _found(part.features, pair)
        case RuleExplanation():
            for condition in part.conditions:
                known = condition.feature if condition.position is None else str(condition.position)
                yield from _found([known or condition.token or ""], pair)
        case SimilarCase():
            yield from _found(part.importance.features or part.importance.tokens, pair)
        case EditPath():
            yield from (edit.feature or str(edit.position) for step in part.steps for edit in step.edits)


def _found(names: Sequence[str], pair: _Pair) -> Iterator[str]:
    """Yield names of the case: a feature is one name, and a word has one for each of its positions."""
    for name in names:
        if name in pair.original:
            yield name
        yield from (position for position, word in pair.original.items() if word == name)


def _holds(condition: RuleCondition, pair: _Pair) -> bool:
    if condition.feature is not None:
        return pair.edited.get(condition.feature) == pair.original.get(condition.feature)
    if condition.position is not None:
        return pair.edited.get(str(condition.position)) == condition.token
    return condition.token in pair.edited.values()
