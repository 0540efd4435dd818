"""The released stimuli of Hase and Bansal (2020): items, explanations and answers.

Their analysis took the first of a list of words within two letters of what was typed, so that some answers were counted as
another and some were lost. `recoded_as_published` repeats that, for comparison; `recoded` accepts only what is meant.
"""

import re
from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple, TypeAlias, TypedDict, cast

from pydantic import JsonValue

from understudy import schema
from understudy.errors import MaterialsError
from understudy.schema import Edit as schema_Edit
from understudy.schema import (
    EditPath,
    Explanation,
    Importance,
    Json,
    PathStep,
    RuleCondition,
    RuleExplanation,
    Several,
    SimilarCase,
    TokenAttribution,
)

PUBLISHED_WORDS = (
    "pos", "neg", "positive", "negative", "above", "below", "abo", "bel",
    "above $50K", "below $50K", "above $50k", "below $50k",
)  # fmt: skip
"""The words of the published analysis, in its order, which decides where two are equally near."""
MOST_LETTERS = 2
_MEANINGS = {"pos": "pos", "neg": "neg", "abo": "above", "bel": "below"}
"""First three letters -> the answer that is meant."""


class RecodedAnswer(NamedTuple):
    """What somebody typed, and what either reading makes of it; None for missing."""

    typed: str
    as_published: str | None
    strictly: str | None


def recoded_as_published(typed: str) -> str | None:
    """Return the answer that the published analysis counted: the first word within two letters, small letters only."""
    return next((_MEANINGS[word[:3]] for word in PUBLISHED_WORDS if _distance(typed, word) <= MOST_LETTERS), None)


def recoded(typed: str) -> str | None:
    """Return the answer that is meant, whatever its capitals; None for anything but one of the words."""
    plain = " ".join(typed.lower().split())
    return _MEANINGS[plain[:3]] if plain in {word.lower() for word in PUBLISHED_WORDS} else None


def recode_table(typed: tuple[str, ...]) -> tuple[RecodedAnswer, ...]:
    """Return both readings of each answer."""
    return tuple(RecodedAnswer(cell, recoded_as_published(cell), recoded(cell)) for cell in typed)


def _distance(left: str, right: str) -> int:
    """Return Levenshtein's distance: how many letters to add, drop or replace."""
    row = list(range(len(right) + 1))
    for number, letter in enumerate(left, start=1):
        previous, row[0] = row[0], number
        for place, other in enumerate(right, start=1):
            previous, row[place] = row[place], min(row[place] + 1, row[place - 1] + 1, previous + (letter != other))
    return row[-1]


# Items: what the sheets show and record about one case, in the words used here.
#
# Labels are written out (`pos` is positive), and bins name their variable once: `Age = 28.00 < Age <= 37.00` is read as
# Age, over 28 to 37. Everything else stays as it was shown.

Domain: TypeAlias = Literal["text", "tabular"]
Part: TypeAlias = Literal["learning", "forward", "counterfactual"]
LABELS: dict[Domain, tuple[str, str]] = {
    "text": ("negative", "positive"),
    "tabular": ("below $50K", "above $50K"),
}
"""The two classes; positive evidence supports the second."""
_SHORT = {"neg": "negative", "pos": "positive"}
_NUMBER = r"(\d+)\.00"
_UNKNOWN = "not stated"


class Edit(NamedTuple):
    """How much of a case was edited, and what the model answers then."""

    prediction: str
    n_edits: int


class Item(NamedTuple):
    """One case; `row` is its number among all cases of its domain."""

    row: int
    item_id: str
    part: Part
    content: Json
    label: str
    prediction: str
    edit: Edit | None = None
    """In the counterfactual part only."""

    @property
    def keeps(self) -> bool:
        """Whether the model answers the edited case as it answers the original."""
        return self.edit is not None and self.edit.prediction == self.prediction


def label_from_text(text: str, domain: Domain) -> str:
    """Return a class under its full name."""
    label = _SHORT.get(text.strip(), text.strip())
    if label not in LABELS[domain]:
        raise MaterialsError(f"The sheets call a class {text!r}; it is one of {', '.join(LABELS[domain])}.")
    return label


def content_from_text(context: str, domain: Domain) -> Json:
    """Return what is shown about a case: words of a sentence, or named values."""
    if domain == "text":
        return {"tokens": [*context.strip().split(" ")]}
    pairs = (line.split(" = ", 1) for line in context.strip().split("\n"))
    return {name.strip(): value_from_text(value, name.strip()) for name, value in pairs}


def edited_from_text(content: Json, perturbation: str, domain: Domain) -> Json:
    """Return the content after the edits that the sheets mark with stars, or write as old --> new."""
    if domain == "text":
        return {"tokens": [*plain_tokens(perturbation)]}
    return {**content, **{name: new for name, _, new in edits_from_lines(perturbation.split("\n"))}}


def edits_from_lines(lines: list[str]) -> list[tuple[str, str, str]]:
    """Return name, old and new value of each line `Name : old --> new`."""
    edits = []
    for line in lines:
        name, _, change = line.partition(" : ")
        old, _, new = change.partition(" --> ")
        edits.append((name.strip(), value_from_text(old, name.strip()), value_from_text(new, name.strip())))
    return edits


def plain_tokens(marked: str) -> list[str]:
    """Return the words of a sentence without the stars around edited ones."""
    return [re.sub(r"^\*\*(.+)\*\*$", r"\1", word) for word in marked.strip().split(" ")]


PLAIN_VALUES = {
    "Admin": "Administration",
    "Amer-Indian-Eskimo": "American Indian or Eskimo",
    "Asian-Pac-Islander": "Asian or Pacific Islander",
    "Associates": "Associate degree",
    "Bachelors": "Bachelor's degree",
    "Blue-Collar": "Manual work",
    "British-Commonwealth": "British Commonwealth",
    "Dropout": "Left school early",
    "Euro_1": "Western Europe",
    "Euro_2": "Southern or Eastern Europe",
    "Federal-gov": "Federal government",
    "High School grad": "High school",
    "Latin-America": "Latin America",
    "Local-gov": "Local government",
    "Masters": "Master's degree",
    "Military": "Military",
    "Never-Married": "Never married",
    "Never-worked": "Never worked",
    "Not-in-family": "Not in a family",
    "Other-relative": "Other relative",
    "Own-child": "Child of the family",
    "SE-Asia": "South-East Asia",
    "Self-emp-inc": "Self-employed, own company",
    "Self-emp-not-inc": "Self-employed",
    "South-America": "South America",
    "State-gov": "State government",
    "United-States": "United States",
    "White-Collar": "Management",
    "Without-pay": "Without pay",
}
"""Codes of the sheets -> what people read."""
_UNITS = {"Age": "years", "Hours per week": "hours"}
"""Numbers without a unit in the sheets -> their unit."""


def value_from_text(text: str, name: str) -> str:
    """Return a value as people read it next to its name: in words, and with its unit."""
    value = text.strip()
    bins = (
        (rf"{_NUMBER} < {name} <= {_NUMBER}", r"over \1 to \2"),
        (rf"{name} <= {_NUMBER}", r"up to \1"),
        (rf"{name} > {_NUMBER}", r"over \1"),
    )
    for pattern, words in bins:
        if re.fullmatch(pattern, value):
            bounds = re.sub(pattern, words, value)
            return f"{bounds} {_UNITS[name]}" if name in _UNITS else bounds
    return _UNKNOWN if value == "?" else PLAIN_VALUES.get(value, value)


def name_and_value(text: str) -> tuple[str, str]:
    """Split `Sex = Male`, or a bin such as `Age <= 28.00`, into name and value."""
    if " = " in text:
        name, value = text.split(" = ", 1)
        return name.strip(), value_from_text(value, name.strip())
    match = re.search(r"[A-Z][A-Za-z ]*[a-z]", text)
    name = match[0] if match else text.strip()
    return name, value_from_text(text, name)


# Lines: the pieces that the released explanations of both domains are written in.


def number_after(text: str, words: str) -> float:
    """Return the number that follows some words."""
    match = re.search(rf"{words}: *([+-]?\d+\.\d+)", text)
    if match is None:
        raise ValueError(f"no number after {words!r}")
    return float(match[1])


def weight_lines(text: str) -> list[tuple[str, float]]:
    """Return name and weight of each line `name | 0.00`."""
    return [
        (name.strip(), float(weight))
        for name, _, weight in (line.rpartition("|") for line in text.split("\n") if "|" in line)
    ]


def numbered_lines(text: str) -> list[str]:
    """Return the numbered lines without their numbers."""
    return [match[1].strip() for line in text.split("\n") if (match := re.fullmatch(r"\d+\. (.+)", line.strip()))]


def quoted_label(text: str, domain: Domain) -> str:
    """Return the class that a heading names in quotes."""
    match = re.search(r"'([^'\n]+)':", text)
    if match is None:
        raise ValueError("no class is named")
    return label_from_text(match[1], domain)


class PrototypeHead(NamedTuple):
    """The label of a prototype, and how similar it is."""

    label: str
    similarity: float


def counted_part(text: str) -> list[tuple[str, float]]:
    """Return what is listed as informative, which may be nothing."""
    _, heading, tail = text.partition("Informative ")
    if not heading:
        raise ValueError("no list of what is informative")
    return weight_lines(tail)


def prototype_head(text: str, domain: Domain) -> PrototypeHead:
    """Return label and similarity from the first line; evidence is ten times the similarity."""
    match = re.search(r"\(label: ([^)]+)\) \| evidence: [+-](\d+\.\d+)", text)
    if match is None:
        raise ValueError("no prototype is named")
    return PrototypeHead(label_from_text(match[1], domain), round(float(match[2]) / 10, 4))


# Shared kinds: explanations that the released sheets write in the same way for both domains.

_PROBABLE = 0.5
"""LIME weighs probabilities, and the model is undecided here."""


class Evidence(TypedDict, total=False):
    """What an attribution says about all its weights together."""

    toward: str
    against: str
    baseline: float
    total: float
    even: float


def lime_evidence(text: str, domain: Domain, baseline: str) -> Evidence:
    """Parse the baseline and the total below the weights of LIME."""
    sums: Evidence = {"baseline": number_after(text, baseline), "total": number_after(text, "Total evidence")}
    return {**_sides(domain), **sums, "even": _PROBABLE}


def omission_evidence(text: str, domain: Domain, margin: str) -> Evidence:
    """Parse the margin from which words or values are left out."""
    return {**_sides(domain), "total": number_after(text, margin), "even": 0.0}


def _sides(domain: Domain) -> Evidence:
    against, toward = LABELS[domain]
    return {"toward": toward, "against": against}


def similar_case(text: str, domain: Domain, content: Json, *, case: Json, importance: Importance) -> SimilarCase:
    """Parse the head of a prototype: its label, and how similar it is."""
    label, similarity = prototype_head(text, domain)
    return SimilarCase(
        case=case,
        input=content,
        label=label,
        similarity=similarity,
        importance=importance,
        toward=LABELS[domain][1],
        against=LABELS[domain][0],
    )


def edit_path(head: str, domain: Domain, content: Json, *, steps: tuple[PathStep, ...]) -> EditPath:
    """Parse the head of a path: where it leads, and the evidence at its start."""
    return EditPath(
        input=content,
        toward=quoted_label(head, domain),
        margin=number_after(head, "Original evidence margin") if "margin" in head else None,
        labels=LABELS[domain],
        steps=steps,
    )


# Tabular: explanations of records. Values listed without their variable get its name.


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


# Text: explanations of sentences. Words are located in the sentence, so that views can mark them.


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
            schema_Edit(position=position, old=old, new=new)
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


# Explanations: the released text of each method, parsed into the kinds that views draw.

Parse = Callable[[str, Json], Explanation]
_RULER = "\n----\n"
_PARSERS: dict[tuple[str, Domain], Parse] = {
    ("LIME", "text"): text_attribution,
    ("LIME", "tabular"): tabular_attribution,
    ("Anchor", "text"): text_rule,
    ("Anchor", "tabular"): tabular_rule,
    ("prototype", "text"): text_case,
    ("prototype", "tabular"): tabular_case,
    ("decision_boundary", "text"): text_path,
    ("decision_boundary", "tabular"): tabular_path,
    ("omission", "text"): text_omission,
    ("omission", "tabular"): tabular_omission,
}


def explanation_from_texts(texts: tuple[str, ...], item: Item, method: str) -> Explanation:
    """Parse what a sheet says about an item: one text, or the two of the composite method."""
    domain: Domain = "text" if "tokens" in _explained(item) else "tabular"
    try:
        if method == "composite":
            return _composite(texts, _explained(item), domain)
        return _PARSERS[method, domain](texts[0], _explained(item))
    except (ValueError, IndexError, KeyError) as error:
        raise MaterialsError(
            f"The {method} explanation of {domain} item {item.item_id} cannot be read ({error}). "
            f"Use the released sheets unchanged; classes are {' and '.join(LABELS[domain])}."
        ) from None


def _explained(item: Item) -> Json:
    """Return what the explanation is about: the original, where there is an edited version too."""
    original = item.content.get("original")
    return original if isinstance(original, dict) else item.content


def _composite(texts: tuple[str, ...], content: Json, domain: Domain) -> Explanation:
    weights, rule = texts[0].split(_RULER, 1)
    edits, case = texts[1].split(_RULER, 1)
    parts = (
        _PARSERS["LIME", domain](weights, content),
        _PARSERS["Anchor", domain](rule, content),
        _PARSERS["decision_boundary", domain](edits, content),
        _PARSERS["prototype", domain](case, content),
    )
    return Several(parts=parts)
