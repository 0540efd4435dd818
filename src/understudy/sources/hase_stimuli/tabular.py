"""Tabular: explanations of records. Values listed without their variable get its name."""

from understudy import schema
from understudy.sources.hase_stimuli.items import edits_from_lines, name_and_value, value_from_text
from understudy.sources.hase_stimuli.lines import counted_part, number_after, numbered_lines, quoted_label, weight_lines
from understudy.sources.hase_stimuli.shared_kinds import edit_path, lime_evidence, omission_evidence, similar_case


def tabular_attribution(text: str, content: schema.Json) -> schema.Attribution:
    """Parse LIME: five variables with their values and weights."""
    lines = [(*name_and_value(name), weight) for name, weight in weight_lines(text)]
    for name, value, _ in lines:
        _require(content, name, value)
    return schema.Attribution(
        features=tuple(name for name, _, _ in lines),
        values=tuple(value for _, value, _ in lines),
        weights=tuple(weight for _, _, weight in lines),
        **lime_evidence(text, "tabular", "Baseline"),
    )


def tabular_rule(text: str, content: schema.Json) -> schema.RuleExplanation:
    """Parse Anchor: values that together fix the answer."""
    conditions: list[schema.RuleCondition] = []
    for line in numbered_lines(text):
        name, value = name_and_value(line)
        _require(content, name, value)
        conditions.append(schema.RuleCondition(feature=name, value=value))
    return schema.RuleExplanation(label=quoted_label(text, "tabular"), conditions=tuple(conditions))


def tabular_case(text: str, content: schema.Json) -> schema.SimilarCase:
    """Parse Prototype: the most similar record next to this one, and the values that counted."""
    case: schema.Json = {}
    for line in text.split("\n----\n")[1].split("\n"):
        name, _, values = line.partition("|")
        other, _, this = values.partition(" --- ")
        case[name.strip()] = value_from_text(other, name.strip())
        _require(content, name.strip(), value_from_text(this, name.strip()))
    named = _named(text, content)
    importance = schema.Importance(features=named.features, weights=named.weights)
    return similar_case(text, "tabular", content, case=case, importance=importance)


def tabular_omission(text: str, content: schema.Json) -> schema.Attribution:
    """Parse Omission: the margin, and the values that change it when left out."""
    named = _named(text, content)
    return schema.Attribution(
        features=named.features,
        weights=named.weights,
        values=named.values,
        **omission_evidence(text, "tabular", "Evidence margin"),
    )


def tabular_path(text: str, content: schema.Json) -> schema.EditPath:
    """Parse Decision Boundary: each step lists all edits so far; the composite method lists only the last step."""
    head, *rest = text.strip().split("\n\n")
    if not rest:
        head, _, only = text.strip().partition("\n")
        rest = [only]
    return edit_path(head, "tabular", content, steps=tuple(_step(step, content) for step in rest))


def _step(text: str, content: schema.Json) -> schema.PathStep:
    lines = [line for line in text.strip().split("\n") if " --> " in line]
    edits: list[schema.Edit] = []
    for name, old, new in edits_from_lines(lines):
        _require(content, name, old)
        edits.append(schema.Edit(feature=name, old=old, new=new))
    margin = number_after(text, "Evidence margin") if "margin" in text else None
    return schema.PathStep(margin=margin, edits=tuple(edits))


def _named(text: str, content: schema.Json) -> schema.Importance:
    features: list[str] = []
    values: list[str] = []
    weights: list[float] = []
    for value, weight in counted_part(text):
        (name,) = [feature for feature, shown in content.items() if value_from_text(value, feature) == shown]
        features.append(name)
        values.append(str(content[name]))
        weights.append(weight)
    return schema.Importance(features=tuple(features), values=tuple(values), weights=tuple(weights))


def _require(content: schema.Json, name: str, value: str) -> None:
    """Make sure that the explanation is about this record."""
    if content.get(name) != value:
        raise ValueError(f"it says {name} is {value}, the case says {content.get(name)}")
