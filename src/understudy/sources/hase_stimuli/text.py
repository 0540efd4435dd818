"""Text: explanations of sentences. Words are found again in the sentence, so that views can mark them there."""

import re
from collections.abc import Sequence
from typing import cast

from pydantic import JsonValue

from understudy.schema import Explanation, Json
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


def text_attribution(text: str, content: Json) -> Explanation:
    """Parse LIME: a weight belongs to every place of its word."""
    tokens = _tokens(content)
    weights = [0.0] * len(tokens)
    for word, weight in weight_lines(text):
        # LIME splits at every sign that is no letter, so that two of its words can be parts of one, such as n't.
        for place in _places(word, tokens):
            weights[place] = round(weights[place] + weight, 4)
    payload: Json = {"tokens": [*tokens], "weights": [*weights], "toward": _TOWARD, **sums(text, "Baseline evidence")}
    return Explanation(kind="token_attribution", payload=payload)


def text_rule(text: str, content: Json) -> Explanation:
    """Parse Anchor; where a word stands more often in the sentence than in the rule, its place is unknown."""
    tokens = _tokens(content)
    named = numbered_lines(text)
    conditions: list[JsonValue] = []
    taken: set[int] = set()
    for word in named:
        places = _places(word, tokens)
        if tokens[places[0]] == word and named.count(word) < len(places):
            conditions.append({"token": word})
            continue
        place = next((one for one in places if one not in taken), places[0])
        if place not in taken:
            conditions.append({"token": tokens[place], "position": place})
        taken.add(place)
    return Explanation(
        kind="rule", payload={"label": quoted_label(text, "text"), "conditions": conditions, "tokens": [*tokens]}
    )


def text_case(text: str, content: Json) -> Explanation:
    """Parse Prototype: the most similar sentence, and the words that counted."""
    case = text.split("\n")[1].strip().split(" ")
    payload: Json = {
        **prototype_head(text, "text"),
        "case": {"tokens": [*case]},
        "input": content,
        "importance": _weighed(text, content),
        "toward": _TOWARD,
    }
    return Explanation(kind="similar_case", payload=payload)


def text_omission(text: str, content: Json) -> Explanation:
    """Parse Omission: the margin, and the words without which it would be another."""
    payload: Json = {
        **_weighed(text, content),
        "total": number_after(text, "Original evidence margin"),
        "toward": _TOWARD,
    }
    return Explanation(kind="token_attribution", payload=payload)


def text_path(text: str, content: Json) -> Explanation:
    """Parse Decision Boundary: each step is the whole sentence with all edits so far in stars."""
    tokens = _tokens(content)
    head, *rest = re.split(r"\n\n", text.strip())
    steps: list[JsonValue] = []
    for one in rest:
        lines = one.strip().split("\n")
        edits: list[JsonValue] = [
            {"position": place, "from": old, "to": new}
            for place, (old, new) in enumerate(zip(tokens, plain_tokens(lines[-1]), strict=True))
            if old != new
        ]
        margin: Json = {"margin": number_after(one, "Evidence margin")} if len(lines) > 1 else {}
        steps.append({**margin, "edits": edits})
    payload: Json = {
        "input": content,
        "toward": quoted_label(head, "text"),
        "labels": [*LABELS["text"]],
        "steps": steps,
        **({"margin": number_after(head, "Original evidence margin")} if "margin" in head else {}),
    }
    return Explanation(kind="path", payload=payload)


def _weighed(text: str, content: Json) -> Json:
    """Put listed weights at their words; `the (2nd)` is the second one of the sentence."""
    tokens = _tokens(content)
    weights = [0.0] * len(tokens)
    for name, weight in counted_part(text):
        found = re.fullmatch(r"(.+) \((\d+)(?:st|nd|rd|th)\)", name)
        word, number = (found[1], int(found[2])) if found else (name, 1)
        places = [place for place, token in enumerate(tokens) if token == word]
        weights[places[number - 1]] = weight
    return {"tokens": [*tokens], "weights": [*weights]}


def _places(word: str, tokens: Sequence[str]) -> list[int]:
    """Return where a word stands; as a part of words where it does not stand alone."""
    whole = [place for place, token in enumerate(tokens) if token == word]
    parts = [place for place, token in enumerate(tokens) if word in re.split(r"(\W)", token)]
    if not (whole or parts):
        raise ValueError(f"{word!r} is not in the sentence")
    return whole or parts


def _tokens(content: Json) -> list[str]:
    return [str(token) for token in cast("list[JsonValue]", content["tokens"])]
