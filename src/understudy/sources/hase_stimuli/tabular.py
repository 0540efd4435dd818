"""Tabular: explanations of records. Values listed without their variable get its name."""

from understudy.schema import (
    Attribution,
    Edit,
    EditPath,
    Importance,
    Json,
    PathStep,
    RuleCondition,
    RuleExplanation,
    SimilarCase,
)
from understudy.sources.hase_stimuli.items import LABELS, edits_from_lines, name_and_value, value_from_text
from understudy.sources.hase_stimuli.lines import (
    PROBABLE,
    counted_part,
    number_after,
    numbered_lines,
    quoted_label,
    sums,
    weight_lines,
)
from understudy.sources.hase_stimuli.shared_kinds import edit_path, similar_case

_AGAINST, _TOWARD = LABELS["tabular"]


def tabular_attribution(text: str, content: Json) -> Attribution:
    """Parse LIME: five variables with their values and weights."""
    lines = [(*name_and_value(name), weight) for name, weight in weight_lines(text)]
    for name, value, _ in lines:
        _require(content, name, value)
    baseline, total = sums(text, "Baseline")
    return Attribution(
        features=tuple(name for name, _, _ in lines),
        values=tuple(value for _, value, _ in lines),
        weights=tuple(weight for _, _, weight in lines),
        toward=_TOWARD,
        against=_AGAINST,
        baseline=baseline,
        total=total,
        even=PROBABLE,
    )


def tabular_rule(text: str, content: Json) -> RuleExplanation:
    """Parse Anchor: values that together fix the answer."""
    conditions: list[RuleCondition] = []
    for line in numbered_lines(text):
        name, value = name_and_value(line)
        _require(content, name, value)
        conditions.append(RuleCondition(feature=name, value=value))
    return RuleExplanation(label=quoted_label(text, "tabular"), conditions=tuple(conditions))


def tabular_case(text: str, content: Json) -> SimilarCase:
    """Parse Prototype: the most similar record next to this one, and the values that counted."""
    case: Json = {}
    for line in text.split("\n----\n")[1].split("\n"):
        name, _, values = line.partition("|")
        other, _, this = values.partition(" --- ")
        case[name.strip()] = value_from_text(other, name.strip())
        _require(content, name.strip(), value_from_text(this, name.strip()))
    named = _named(text, content)
    importance = Importance(features=named.features, weights=named.weights)
    return similar_case(text, "tabular", content, case=case, importance=importance)


def tabular_omission(text: str, content: Json) -> Attribution:
    """Parse Omission: the margin, and the values that change it when left out."""
    named = _named(text, content)
    return Attribution(
        features=named.features,
        weights=named.weights,
        values=named.values,
        total=number_after(text, "Evidence margin"),
        even=0.0,
        toward=_TOWARD,
        against=_AGAINST,
    )


def tabular_path(text: str, content: Json) -> EditPath:
    """Parse Decision Boundary: each step lists all edits so far; the composite method lists only the last step."""
    head, *rest = text.strip().split("\n\n")
    if not rest:
        head, _, only = text.strip().partition("\n")
        rest = [only]
    return edit_path(head, "tabular", content, steps=tuple(_step(step, content) for step in rest))


def _step(text: str, content: Json) -> PathStep:
    lines = [line for line in text.strip().split("\n") if " --> " in line]
    edits: list[Edit] = []
    for name, old, new in edits_from_lines(lines):
        _require(content, name, old)
        edits.append(Edit(feature=name, old=old, new=new))
    margin = number_after(text, "Evidence margin") if "margin" in text else None
    return PathStep(margin=margin, edits=tuple(edits))


def _named(text: str, content: Json) -> Importance:
    features: list[str] = []
    values: list[str] = []
    weights: list[float] = []
    for value, weight in counted_part(text):
        (name,) = [feature for feature, shown in content.items() if value_from_text(value, feature) == shown]
        features.append(name)
        values.append(str(content[name]))
        weights.append(weight)
    return Importance(features=tuple(features), values=tuple(values), weights=tuple(weights))


def _require(content: Json, name: str, value: str) -> None:
    """Make sure that the explanation is about this record."""
    if content.get(name) != value:
        raise ValueError(f"it says {name} is {value}, the case says {content.get(name)}")
