"""Lines: the pieces that the released explanations of both domains are written in."""

import re
from typing import NamedTuple

from understudy.sources.hase_stimuli.items import Domain, label_from_text


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
