"""Text: explanations of sentences. Words are found again in the sentence, so that views can mark them there."""

import re
from collections.abc import Sequence
from typing import cast

from pydantic import JsonValue

from understudy.schema import (
    Edit,
    EditPath,
    Importance,
    Json,
    PathStep,
    RuleCondition,
    RuleExplanation,
    SimilarCase,
    TokenAttribution,
)
from understudy.sources.hase_stimuli.items import LABELS, plain_tokens
from understudy.sources.hase_stimuli.lines import (
    counted_part,
    number_after,
    numbered_lines,
    prototype_head,
    quoted_label,
    sums,
    weight_lines,
)

_TOWARD = LABELS["text"][1]


def text_attribution(text: str, content: Json) -> TokenAttribution:
    """Parse LIME: a weight belongs to every place of its word."""
    tokens = _tokens(content)
    weights = [0.0] * len(tokens)
    for word, weight in weight_lines(text):
        # LIME splits at every sign that is no letter, so that two of its words can be parts of one, such as n't.
        for place in _places(word, tokens):
            weights[place] = round(weights[place] + weight, 4)
    baseline, total = sums(text, "Baseline evidence")
    return TokenAttribution(
        tokens=tuple(tokens), weights=tuple(weights), toward=_TOWARD, baseline=baseline, total=total
    )


def text_rule(text: str, content: Json) -> RuleExplanation:
    """Parse Anchor; where a word stands more often in the sentence than in the rule, its place is unknown."""
    tokens = _tokens(content)
    named = numbered_lines(text)
    conditions: list[RuleCondition] = []
    taken: set[int] = set()
    for word in named:
        places = _places(word, tokens)
        if tokens[places[0]] == word and named.count(word) < len(places):
            conditions.append(RuleCondition(token=word))
            continue
        place = next((one for one in places if one not in taken), places[0])
        if place not in taken:
            conditions.append(RuleCondition(token=tokens[place], position=place))
        taken.add(place)
    return RuleExplanation(label=quoted_label(text, "text"), conditions=tuple(conditions), tokens=tuple(tokens))


def text_case(text: str, content: Json) -> SimilarCase:
    """Parse Prototype: the most similar sentence, and the words that counted."""
    case = text.split("\n")[1].strip().split(" ")
    label, similarity = prototype_head(text, "text")
    return SimilarCase(
        case={"tokens": [*case]},
        input=content,
        label=label,
        similarity=similarity,
        importance=_weighed(text, content),
        toward=_TOWARD,
    )


def text_omission(text: str, content: Json) -> TokenAttribution:
    """Parse Omission: the margin, and the words without which it would be another."""
    weighed = _weighed(text, content)
    return TokenAttribution(
        tokens=weighed.tokens,
        weights=weighed.weights,
        total=number_after(text, "Original evidence margin"),
        toward=_TOWARD,
    )


def text_path(text: str, content: Json) -> EditPath:
    """Parse Decision Boundary: each step is the whole sentence with all edits so far in stars."""
    tokens = _tokens(content)
    head, *rest = re.split(r"\n\n", text.strip())
    steps: list[PathStep] = []
    for step in rest:
        lines = step.strip().split("\n")
        edits = tuple(
            Edit(position=place, old=old, new=new)
            for place, (old, new) in enumerate(zip(tokens, plain_tokens(lines[-1]), strict=True))
            if old != new
        )
        steps.append(PathStep(margin=number_after(step, "Evidence margin") if len(lines) > 1 else None, edits=edits))
    return EditPath(
        input=content,
        toward=quoted_label(head, "text"),
        margin=number_after(head, "Original evidence margin") if "margin" in head else None,
        labels=LABELS["text"],
        steps=tuple(steps),
    )


def _weighed(text: str, content: Json) -> Importance:
    """Put listed weights at their words; `the (2nd)` is the second one of the sentence."""
    tokens = _tokens(content)
    weights = [0.0] * len(tokens)
    for name, weight in counted_part(text):
        found = re.fullmatch(r"(.+) \((\d+)(?:st|nd|rd|th)\)", name)
        word, number = (found[1], int(found[2])) if found else (name, 1)
        places = [place for place, token in enumerate(tokens) if token == word]
        weights[places[number - 1]] = weight
    return Importance(tokens=tuple(tokens), weights=tuple(weights))


def _places(word: str, tokens: Sequence[str]) -> list[int]:
    """Return where a word stands; as a part of words where it does not stand alone."""
    whole = [place for place, token in enumerate(tokens) if token == word]
    parts = [place for place, token in enumerate(tokens) if word in re.split(r"(\W)", token)]
    if not (whole or parts):
        raise ValueError(f"{word!r} is not in the sentence")
    return whole or parts


def _tokens(content: Json) -> list[str]:
    return [str(token) for token in cast("list[JsonValue]", content["tokens"])]
