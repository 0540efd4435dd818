"""Printed results of a paper, in the layout of its table and figures."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple

from understudy.report.paper_comparison.automatic_scores import ModelScores

_NOTHING: Mapping[str, ModelScores] = MappingProxyType({})


class Spread(NamedTuple):
    """What a number next to a mean is, so that figures and captions say it and never guess."""

    kind: Literal["sd", "population_sd", "se", "half_width", "low", "high"]
    """half_width, low and high: of an interval."""
    level: float | None = None
    """The level of the interval, such as 0.95."""

    @property
    def words(self) -> str:
        """Say what is drawn around a mean."""
        match self.kind:
            case "sd":
                return "one SD to either side"
            case "population_sd":
                return "one population SD to either side"
            case "se":
                return "one standard error to either side"
        return f"{100 * (self.level or 0):.3g}% intervals"

    @property
    def symbol(self) -> str:
        """Say what a table writes behind ±."""
        return {"sd": "SD", "population_sd": "population SD", "se": "SE"}.get(self.kind, f"half of a {self.words[:-1]}")


SD, POPULATION_SD, SE, HALF_95 = Spread("sd"), Spread("population_sd"), Spread("se"), Spread("half_width", 0.95)


class PrintedColumn(NamedTuple):
    """A column of a printed table, and the planned description with our values."""

    description: str
    heading: str
    spread: Spread
    """What the paper prints next to its means, and what is computed of ours."""
    decimals: int = 2
    times: float = 1.0
    """What our number is multiplied by, such as 0.001 where thousands are printed."""
    better: Literal["higher", "lower"] = "higher"
    limits: tuple[float | None, float | None] = (None, None)
    """The range of the measure in the paper's unit, at which spreads are cut off."""


class PrintedMean(NamedTuple):
    """A mean and the number next to it, which the column's `spread` names."""

    mean: float
    spread: float


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
