"""Cases: labelled rows of codes or token ids, with legends, draws and splits."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from understudy.errors import MaterialsError
from understudy.roles import Floats, HasLegend, Ints, Model, Rng, Sample, Variables, Vocabulary
from understudy.schema import Json, digest_of
from understudy.schema.record import seed_from
from understudy.sources.small_pictures import Split

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


# Case draws: a sample of one part of a split, without replacement.


def drawn_cases(cases: Cases, split: SplitName, n: int, rng: Rng) -> Sample:
    """Return n cases of a part in random order, each with its label."""
    part = cases.part(split)
    places = rng.permutation(len(part.labels))[:n]
    inputs = part.inputs[places]
    if isinstance(cases.legend, Vocabulary):
        inputs = trimmed(inputs)
    return Sample(
        contents=[content_from_row(row, cases.legend) for row in inputs],
        attributes={"label": [cases.labels[int(label)] for label in part.labels[places]]},
        inputs=np.ascontiguousarray(inputs),
        legend=cases.legend,
    )


# Case splits: which cases train a model, which select it, and which test it.

Places = tuple[Ints, Ints, Ints]
"""Indices of the cases for training, validation and test."""


def shuffle_split(n: int, share: float, random: np.random.RandomState) -> tuple[Ints, Ints]:
    """Split indices at random like scikit-learn's shuffle split: the rest, then the share, rounded up."""
    order = random.permutation(n).astype(np.int64)
    n_second = math.ceil(share * n)
    return order[n_second:], order[:n_second]


def grouped_split(groups: Ints, shares: tuple[float, float], random: np.random.RandomState) -> Places:
    """Split indices so that no group is in two parts; shares are those of validation and test.

    Groups are assigned in random order, first to the test, until each share of the cases is reached.
    """
    _, group_of, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    order = random.permutation(len(sizes))
    # Groups are assigned whole, so shares are only reached approximately.
    filled = np.cumsum(sizes[order])
    validation, test = shares
    n_test, n_validation = test * len(groups), validation * len(groups)
    parts = np.zeros(len(sizes), dtype=np.int64)
    parts[order] = np.where(filled <= n_test, 2, np.where(filled <= n_test + n_validation, 1, 0))
    places = random.permutation(len(groups)).astype(np.int64)
    part_of = parts[group_of[places]]
    return places[part_of == 0], places[part_of == 1], places[part_of == 2]


def row_groups(rows: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> Ints:
    """Number rows so that equal ones have the same number."""
    _, group_of = np.unique(rows, axis=0, return_inverse=True)
    return np.asarray(group_of, dtype=np.int64).reshape(-1)


# Legends: whether a model and a dataset number features, values and words in the same way.


def digest_of_legend(legend: Variables | Vocabulary | None) -> str:
    """Return the digest of what codes or token ids mean; empty without a legend."""
    if legend is None:
        return ""
    if isinstance(legend, Variables):
        return digest_of({"features": [*legend.features], "values": [[*names] for names in legend.values]})
    return digest_of({"words": [*legend.words]})


def require_same_legend(model: Model, legend: Variables | Vocabulary | None, *, of: str) -> None:
    """Refuse cases that are numbered differently from those a model was exported for, because it would confuse them."""
    made_for = model.legend_digest if isinstance(model, HasLegend) else ""
    if made_for and legend is not None and made_for != digest_of_legend(legend):
        raise MaterialsError(
            f"The model was exported for cases with other features, values or words than {of} now. Export it again with "
            "the legend of the file as it is, or read all cases from the file that it was exported for."
        )


# Splits of photos: the same share of every class for training and for tests, by a recorded seed.


def stratified_split(labels: Sequence[str], *, test_share: float, seed: int) -> Split:
    """Hold out the same share of each class, rounded, and at least one photo; indices are in their own order.

    Each class has its own random choice, so a class that is added or dropped leaves the others as they were.
    """
    train: list[int] = []
    held_out: list[int] = []
    found = np.asarray(labels)
    for name in sorted(set(labels)):
        places = np.flatnonzero(found == name)
        if len(places) < 2:
            raise MaterialsError(f"The class {name!r} has one photo, which cannot be in both parts. Add photos of it.")
        order = np.random.default_rng(seed_from(seed, "split", name)).permutation(places)
        n_test = min(max(1, round(test_share * len(places))), len(places) - 1)
        held_out += order[:n_test].tolist()
        train += order[n_test:].tolist()
    return Split(train=_sorted(train), held_out=_sorted(held_out))


def _sorted(places: list[int]) -> Ints:
    return np.array(sorted(places), dtype=np.int64)
