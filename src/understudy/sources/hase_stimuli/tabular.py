"""Tabular: explanations of records. Values listed without their variable are given its name again."""

from pydantic import JsonValue

from understudy.schema import Explanation, Json
from understudy.sources.hase_stimuli.items import LABELS, edits_from_lines, name_and_value, value_from_text
from understudy.sources.hase_stimuli.lines import (
    counted_part,
    number_after,
    numbered_lines,
    prototype_head,
    quoted_label,
    sums,
    weight_lines,
)

_TOWARD = LABELS["tabular"][1]


def tabular_attribution(text: str, content: Json) -> Explanation:
    """Parse LIME: five variables with their values and weights."""
    lines = [(*name_and_value(name), weight) for name, weight in weight_lines(text)]
    for name, value, _ in lines:
        _require(content, name, value)
    payload: Json = {
        "features": [name for name, _, _ in lines],
        "values": [value for _, value, _ in lines],
        "weights": [weight for _, _, weight in lines],
        "toward": _TOWARD,
        **sums(text, "Baseline"),
    }
    return Explanation(kind="attribution", payload=payload)


def tabular_rule(text: str, content: Json) -> Explanation:
    """Parse Anchor: values that together fix the answer."""
    conditions: list[JsonValue] = []
    for line in numbered_lines(text):
        name, value = name_and_value(line)
        _require(content, name, value)
        conditions.append({"feature": name, "value": value})
    return Explanation(kind="rule", payload={"label": quoted_label(text, "tabular"), "conditions": conditions})


def tabular_case(text: str, content: Json) -> Explanation:
    """Parse Prototype: the most similar record beside this one, and the values that counted."""
    case: Json = {}
    for line in text.split("\n----\n")[1].split("\n"):
        name, _, values = line.partition("|")
        other, _, own = values.partition(" --- ")
        case[name.strip()] = value_from_text(other, name.strip())
        _require(content, name.strip(), value_from_text(own, name.strip()))
    named = _named(text, content)
    payload: Json = {
        **prototype_head(text, "tabular"),
        "case": case,
        "input": content,
        "importance": {"features": named["features"], "weights": named["weights"]},
        "toward": _TOWARD,
    }
    return Explanation(kind="similar_case", payload=payload)


def tabular_omission(text: str, content: Json) -> Explanation:
    """Parse Omission: the margin, and the values without which it would be another."""
    payload: Json = {**_named(text, content), "total": number_after(text, "Evidence margin"), "toward": _TOWARD}
    return Explanation(kind="attribution", payload=payload)


def tabular_path(text: str, content: Json) -> Explanation:
    """Parse Decision Boundary: each step lists all edits so far; the composite method lists the last step alone."""
    head, *rest = text.strip().split("\n\n")
    if not rest:
        head, _, only = text.strip().partition("\n")
        rest = [only]
    payload: Json = {
        "input": content,
        "toward": quoted_label(head, "tabular"),
        "labels": [*LABELS["tabular"]],
        "steps": [_step(one, content) for one in rest],
        **({"margin": number_after(head, "Original evidence margin")} if "margin" in head else {}),
    }
    return Explanation(kind="path", payload=payload)


def _step(text: str, content: Json) -> Json:
    lines = [line for line in text.strip().split("\n") if " --> " in line]
    edits: list[JsonValue] = []
    for name, old, new in edits_from_lines(lines):
        _require(content, name, old)
        edits.append({"feature": name, "from": old, "to": new})
    return {**({"margin": number_after(text, "Evidence margin")} if "margin" in text else {}), "edits": edits}


def _named(text: str, content: Json) -> Json:
    features: list[JsonValue] = []
    values: list[JsonValue] = []
    weights: list[JsonValue] = []
    for value, weight in counted_part(text):
        (name,) = [one for one, held in content.items() if value_from_text(value, one) == held]
        features.append(name)
        values.append(content[name])
        weights.append(weight)
    return {"features": features, "values": values, "weights": weights}


def _require(content: Json, name: str, value: str) -> None:
    """Make sure that the explanation speaks of this very record."""
    if content.get(name) != value:
        raise ValueError(f"it says {name} is {value}, the case says {content.get(name)}")
