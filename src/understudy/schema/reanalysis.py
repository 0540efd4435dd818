"""Reanalysis: how an imported table is read, and the plan that is run on it."""

from typing import Literal

from pydantic import Field

from understudy.schema.expression import Expression
from understudy.schema.plan import AnalysisPlan, Scale
from understudy.schema.record import Name, Record


class SourceTable(Record):
    """Which columns of the file say who answered and what they answered about."""

    participant: str
    """The column that tells people apart; in the plan it is called `participant`."""
    item: str | None = None
    """The column that tells items apart; in the plan it is called `item`."""
    columns: dict[Name, str] = {}
    """New name -> heading in the file, for headings that an expression cannot spell."""
    drop_duplicate_rows: bool = False
    """Whether rows that repeat an earlier row in every column are dropped first."""


class SourceFactor(Record):
    """A factor of the plan, read from a column of the table."""

    name: Name
    scope: Literal["between", "within", "item"]
    column: str | None = None
    """A column of the file or a derived one. Default: the name of the factor."""
    recode: dict[str, str] = {}
    """Value in the column -> level; other values are levels already."""
    levels: tuple[str, ...] = Field(min_length=1)


class Derived(Record):
    """A new column, computed row by row or, with `by`, from all rows of a group and given to each of them."""

    name: Name
    value: Expression
    by: tuple[str, ...] = ()
    """Columns that make the groups over which mean, sum, count and similar functions summarise."""
    where: Expression | None = None
    """Rows that are summarised; without `by`, rows that get a value at all."""


class RowFilter(Record):
    """Keeps the rows for which its rule holds; people left without a row leave the analysis."""

    label: Name
    reason: str
    rule: Expression


class TableExclusion(Record):
    """Takes a participant out when the rule holds; applied in the order of declaration."""

    exclusion_id: Name
    reason: str
    rule: Expression
    """Over values that are the same in all rows of a participant."""


class SourceMeasure(Record):
    """A quantity that the plan uses, and what kind of number it is."""

    name: Name
    value: Expression | None = None
    """A column or an expression over columns. Default: the column with the name of the measure."""
    unit: Literal["trial", "session"]
    scale: Scale
    better: Literal["higher", "lower", "neither"] = "neither"


class PublishedFigure(Record):
    """A published figure, and which recomputed number it should equal."""

    label: str
    value: float
    decimals: int = Field(ge=0, le=12)
    is_truncated: bool = False
    """Whether further digits were cut off rather than rounded."""
    times: float = 1.0
    """What our number is multiplied by before the comparison, such as 100 for a percentage."""
    hypothesis: str | None = None
    description: str | None = None
    step: str | None = None
    """A step of the participant flow: the label of a filter or the id of an exclusion."""
    group: str | None = None
    """A group of the description or estimate, or a condition of the flow step."""
    quantity: str
    is_expected: bool = True
    """Whether the figure is expected to be reproduced; one that is not is shown too."""
    note: str = ""


class Reanalysis(Record):
    """Everything that leads from a table collected elsewhere to findings."""

    format: Literal[1] = 1
    title: str
    source: str = ""
    """Where the data come from: authors, year, address, licence."""
    table: SourceTable
    factors: tuple[SourceFactor, ...] = ()
    derive: tuple[Derived, ...] = ()
    keep: tuple[RowFilter, ...] = ()
    exclusions: tuple[TableExclusion, ...] = ()
    measures: tuple[SourceMeasure, ...] = Field(min_length=1)
    plan: AnalysisPlan
    published: tuple[PublishedFigure, ...] = ()
