"""Printed results: what a paper reports, in the shape in which it does, to be set beside one's own."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple

from understudy.report.paper_comparison.automatic_scores import ModelScores

_NOTHING: Mapping[str, ModelScores] = MappingProxyType({})


class PrintedColumn(NamedTuple):
    """A measure of a printed table, and the planned description that holds ours."""

    description: str
    heading: str
    decimals: int = 2
    times: float = 1.0
    """What our number is multiplied by, such as 0.001 where thousands are printed."""
    better: Literal["higher", "lower"] = "higher"
    limits: tuple[float | None, float | None] = (None, None)
    """Where the measure ends, in the paper's unit; spreads are drawn no further."""


class PrintedMean(NamedTuple):
    """A printed mean with its spread."""

    mean: float
    sd: float


class PrintedRow(NamedTuple):
    """A row of a printed table: its label, our group, and one cell for each column; None where nothing is printed."""

    label: str
    group: str
    cells: tuple[PrintedMean | None, ...]


class PrintedTest(NamedTuple):
    """A test as printed, and the hypothesis that repeats it."""

    label: str
    hypothesis: str
    words: str


class Strip(NamedTuple):
    """A figure over single trials: by what is true of them, or first questions against last ones."""

    title: str
    kind: Literal["by_truth", "first_and_last"]
    measure: str
    blocks: tuple[str, ...]
    split: tuple[str, ...]
    """Factors whose levels are kept apart."""
    only: tuple[str, str] | None = None
    """A factor and the one level of it that is drawn."""
    truth: str = ""
    """For by_truth: the name of what is true of the items."""
    series: str = ""
    """For by_truth: the one of the split factors whose levels share a row."""
    limits: tuple[float | None, float | None] = (None, None)
    printed: str = ""
    """What the paper says in words, where it prints no number."""


class PrintedResults(NamedTuple):
    """All that is set beside the results of a study."""

    source: str
    title: str
    columns: tuple[PrintedColumn, ...]
    rows: tuple[PrintedRow, ...]
    tests: tuple[PrintedTest, ...] = ()
    strips: tuple[Strip, ...] = ()
    notes: tuple[str, ...] = ()
    further: tuple[PrintedColumn, ...] = ()
    """Measures of ours of which nothing is printed, drawn against automatic scores all the same."""
    scores: Mapping[str, ModelScores] = _NOTHING
    """Group -> the automatic scores printed for its model."""
