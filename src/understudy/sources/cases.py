"""Cases: labelled rows of codes or token ids, with a fixed split into train, validation and test."""

from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from understudy.roles import Floats, Variables, Vocabulary
from understudy.schema import Json

Ints: TypeAlias = npt.NDArray[np.int64]
SplitName: TypeAlias = Literal["train", "validation", "test"]
SplitRule: TypeAlias = Literal["leak_free", "paper"]
PADDING = -1
"""Fills a row after the last token of a sentence that is shorter than others."""


class Part(NamedTuple):
    """One part of a split."""

    inputs: Floats
    labels: Ints
    sources: Ints
    """The line or row of the source that each case was made from."""


@dataclass(frozen=True)
class Cases:
    """Everything a classifier of one dataset learns from and is tested on."""

    labels: tuple[str, ...]
    legend: Variables | Vocabulary
    train: Part
    validation: Part
    test: Part

    def part(self, split: SplitName) -> Part:
        """Return one part by its name."""
        return {"train": self.train, "validation": self.validation, "test": self.test}[split]


def cases_from_places(
    inputs: Floats,
    labels: Ints,
    places: tuple[Ints, Ints, Ints],
    *,
    names: tuple[str, ...],
    legend: Variables | Vocabulary,
) -> Cases:
    """Divide rows into three parts, by the indices of each."""
    train, validation, test = (Part(inputs[rows], labels[rows], rows) for rows in places)
    return Cases(names, legend, train, validation, test)


def padded(rows: list[list[int]]) -> Floats:
    """Stack rows of token ids, with padding at their ends."""
    width = max((len(row) for row in rows), default=0)
    table = np.full((len(rows), width), float(PADDING))
    for number, row in enumerate(rows):
        table[number, : len(row)] = row
    return table


def trimmed(tokens: Floats) -> Floats:
    """Drop the columns that hold nothing but padding."""
    lengths = (tokens >= 0).sum(axis=1)
    return tokens[:, : int(lengths.max(initial=0))]


def content_from_row(row: Floats, legend: Variables | Vocabulary) -> Json:
    """Return what a person reads about one case."""
    if isinstance(legend, Variables):
        pairs = zip(legend.features, legend.values, row, strict=True)
        return {feature: values[int(code)] for feature, values, code in pairs}
    return {"tokens": [legend.words[int(token)] for token in row if token >= 0]}
