"""Text: explanations of sentences. Words are located in the sentence, so that views can mark them."""

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
from understudy.sources.hase_stimuli.items import plain_tokens
from understudy.sources.hase_stimuli.lines import counted_part, number_after, numbered_lines, quoted_label, weight_lines
from understudy.sources.hase_stimuli.shared_kinds import edit_path, lime_evidence, omission_evidence, similar_case


def text_attribution(text: str, content: Json) -> TokenAttribution:
    """Parse LIME: a weight belongs to every occurrence of its word."""
    tokens = _tokens(content)
    weights = [0.0] * len(tokens)
    for word, weight in weight_lines(text):
        # LIME splits at every character that is not a letter, so two of its words can be parts of one, such as n't.
        for position in _places(word, tokens):
            weights[position] = round(weights[position] + weight, 4)
    return TokenAttribution(
        tokens=tuple(tokens),
        weights=tuple(weights),
        **lime_evidence(text, "text", "Baseline evidence"),
    )


def text_rule(text: str, content: Json) -> RuleExplanation:
    """Parse Anchor; if a word occurs more often in the sentence than in the rule, its position is unknown."""
    tokens = _tokens(content)
    named = numbered_lines(text)
    conditions: list[RuleCondition] = []
    taken: set[int] = set()
    for word in named:
        places = _places(word, tokens)
        if tokens[places[0]] == word and named.count(word) < len(places):
            conditions.append(RuleCondition(token=word))
            continue
        position = next((candidate for candidate in places if candidate not in taken), places[0])
        if position not in taken:
            conditions.append(RuleCondition(token=tokens[position], position=position))
        taken.add(position)
    return RuleExplanation(label=quoted_label(text, "text"), conditions=tuple(conditions), tokens=tuple(tokens))


def text_case(text: str, content: Json) -> SimilarCase:
    """Parse Prototype: the most similar sentence, and the words that counted."""
    case = text.split("\n")[1].strip().split(" ")
    return similar_case(text, "text", content, case={"tokens": [*case]}, importance=_weighed(text, content))


def text_omission(text: str, content: Json) -> TokenAttribution:
    """Parse Omission: the margin, and the words that change it when left out."""
    weighed = _weighed(text, content)
    return TokenAttribution(
        tokens=weighed.tokens,
        weights=weighed.weights,
        **omission_evidence(text, "text", "Original evidence margin"),
    )


def text_path(text: str, content: Json) -> EditPath:
    """Parse Decision Boundary: each step is the whole sentence with all edits so far in stars."""
    tokens = _tokens(content)
    head, *rest = re.split(r"\n\n", text.strip())
    steps: list[PathStep] = []
    for step in rest:
        lines = step.strip().split("\n")
        edits = tuple(
            Edit(position=position, old=old, new=new)
            for position, (old, new) in enumerate(zip(tokens, plain_tokens(lines[-1]), strict=True))
            if old != new
        )
        steps.append(PathStep(margin=number_after(step, "Evidence margin") if len(lines) > 1 else None, edits=edits))
    return edit_path(head, "text", content, steps=tuple(steps))


def _weighed(text: str, content: Json) -> Importance:
    """Assign listed weights to their words; `the (2nd)` is the second one of the sentence."""
    tokens = _tokens(content)
    weights = [0.0] * len(tokens)
    for name, weight in counted_part(text):
        match = re.fullmatch(r"(.+) \((\d+)(?:st|nd|rd|th)\)", name)
        word, number = (match[1], int(match[2])) if match else (name, 1)
        places = [position for position, token in enumerate(tokens) if token == word]
        weights[places[number - 1]] = weight
    return Importance(tokens=tuple(tokens), weights=tuple(weights))


def _places(word: str, tokens: Sequence[str]) -> list[int]:
    """Return the positions of a word, or else of the words that contain it."""
    whole = [position for position, token in enumerate(tokens) if token == word]
    parts = [position for position, token in enumerate(tokens) if word in re.split(r"(\W)", token)]
    if not (whole or parts):
        raise ValueError(f"{word!r} is not in the sentence")
    return whole or parts


def _tokens(content: Json) -> list[str]:
    return [str(token) for token in cast("list[JsonValue]", content["tokens"])]
