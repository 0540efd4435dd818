"""Printed results of a paper, in the layout of its table and figures."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple

from understudy.report.paper_comparison.automatic_scores import ModelScores

_NOTHING: Mapping[str, ModelScores] = MappingProxyType({})


class PrintedColumn(NamedTuple):
    """A column of a printed table, and the planned description with our values."""

    description: str
    heading: str
    decimals: int = 2
    times: float = 1.0
    """What our number is multiplied by, such as 0.001 where thousands are printed."""
    better: Literal["higher", "lower"] = "higher"
    limits: tuple[float | None, float | None] = (None, None)
    """The range of the measure in the paper's unit, at which spreads are cut off."""


class PrintedMean(NamedTuple):
    """A printed mean with its spread."""

    mean: float
    sd: float


class PrintedRow(NamedTuple):
    """A row of a printed table: its label, our group, and one value per column, None if not printed."""

    label: str
    group: str
    cells: tuple[PrintedMean | None, ...]


class PrintedTest(NamedTuple):
    """A test as printed, and the hypothesis that repeats it."""

    label: str
    hypothesis: str
    words: str


class Strip(NamedTuple):
    """A figure over single trials, by an item attribute or for first against last questions."""

    title: str
    kind: Literal["by_truth", "first_and_last"]
    measure: str
    blocks: tuple[str, ...]
    split: tuple[str, ...]
    """Factors whose levels get separate rows."""
    only: tuple[str, str] | None = None
    """A factor and its only level that is drawn."""
    truth: str = ""
    """For by_truth: the name of the item attribute."""
    series: str = ""
    """For by_truth: the one of the split factors whose levels share a row."""
    limits: tuple[float | None, float | None] = (None, None)
    printed: str = ""
    """What the paper says in words, where it prints no number."""


class PrintedResults(NamedTuple):
    """All printed results that a study is compared with."""

    source: str
    title: str
    columns: tuple[PrintedColumn, ...]
    rows: tuple[PrintedRow, ...]
    tests: tuple[PrintedTest, ...] = ()
    strips: tuple[Strip, ...] = ()
    notes: tuple[str, ...] = ()
    further: tuple[PrintedColumn, ...] = ()
    """Our measures without printed values, which are also drawn against automatic scores."""
    scores: Mapping[str, ModelScores] = _NOTHING
    """Group -> the automatic scores printed for its model."""
