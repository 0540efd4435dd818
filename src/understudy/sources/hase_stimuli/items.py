"""Items: what the sheets show and record about one case, in the words used here.

Labels are written out (`pos` is positive), and bins name their variable once: `Age = 28.00 < Age <= 37.00` is read as
Age, over 28 to 37. Everything else stays as it was shown.
"""

import re
from typing import Literal, NamedTuple, TypeAlias

from understudy.errors import MaterialsError
from understudy.schema import Json

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
