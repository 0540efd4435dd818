"""Printed tables of a paper, and the sources of our numbers for their rows."""

from typing import Literal, NamedTuple

from understudy.report.paper_comparison.printed import Spread
from understudy.schema import Finding, Findings, GroupSummary, Interval


class TableColumn(NamedTuple):
    """A heading, and how its numbers are written."""

    heading: str
    decimals: int = 2
    kind: Literal["number", "count", "p"] = "number"
    times: float = 1.0
    """What our number is multiplied by, such as 100 where percentage points are printed."""
    spread: Spread | None = None
    """What the numbers are, if they say how far the means before them spread."""


class OurNumbers(NamedTuple):
    """The source of one line of our numbers: a finding, or a group of a description."""

    words: str
    """The label of our line."""
    quantities: tuple[str, ...]
    """One for each column, empty for none: effect, p_value, p_adjusted, n, mean, sd, low, high, half_width, level (of a
    finding or a group), detail.NAME, effect_size.NAME, mean.GROUP, n.GROUP and half_width.GROUP of a finding's groups."""
    hypothesis: str = ""
    description: str = ""
    group: str = ""


class TableLine(NamedTuple):
    """A row: its label, the printed numbers (None if not printed), and our lines."""

    label: str
    printed: tuple[float | None, ...]
    ours: tuple[OurNumbers, ...] = ()
    known: tuple[float | None, ...] = ()
    """Our numbers that are not in a finding, such as a model's accuracy."""


class PrintedTable(NamedTuple):
    """One table of the page."""

    title: str
    columns: tuple[TableColumn, ...]
    lines: tuple[TableLine, ...]
    notes: tuple[str, ...] = ()
    drawn: str = ""
    """The heading of the column that is drawn as a figure, with the spread in the columns after it; none when empty."""
    axis: str = ""
    """What the figure's axis says, with the unit."""
    limits: tuple[float | None, float | None] = (None, None)
    """The range of the drawn column, at which spreads are cut off."""


class PrintedTables(NamedTuple):
    """All tables of a paper that a study repeats."""

    source: str
    tables: tuple[PrintedTable, ...]
    notes: tuple[str, ...] = ()


def numbers_of(findings: Findings, ours: OurNumbers) -> tuple[float | None, ...]:
    """Return our numbers of a line, None where the study has none yet."""
    return tuple(_quantity(findings, ours, name) if name else None for name in ours.quantities)


def has_numbers(findings: Findings, ours: OurNumbers) -> bool:
    """Tell whether the study plans the source of a line."""
    if ours.hypothesis:
        return any(finding.hypothesis_id == ours.hypothesis for finding in findings.findings)
    return any(table.description_id == ours.description for table in findings.descriptions)


def _quantity(findings: Findings, ours: OurNumbers, name: str) -> float | None:
    if ours.description:
        tables = [table for table in findings.descriptions if table.description_id == ours.description]
        groups = [group for table in tables for group in table.groups if group.group == (ours.group or "all")]
        return _of_group(groups[0], name) if groups else None
    finding = next((row for row in findings.findings if row.hypothesis_id == ours.hypothesis), None)
    return None if finding is None else _of_finding(finding, name)


def _of_finding(finding: Finding, name: str) -> float | None:
    estimate = finding.estimate
    if estimate is None:
        return None
    kind, _, key = name.partition(".")
    if kind == "detail":
        return estimate.details.get(key)
    if kind == "effect_size":
        return next((size.value for size in estimate.effect_sizes if size.name == key), None)
    if key:
        return next((_of_group(group, kind) for group in estimate.groups if group.group == key), None)
    match kind:
        case "effect":
            return estimate.effect
        case "p_value":
            return estimate.p_value
        case "p_adjusted":
            return estimate.p_value if finding.p_adjusted is None else finding.p_adjusted
        case "n":
            return estimate.n_sessions
    return _of_interval(estimate.interval, kind)


def _of_group(group: GroupSummary, name: str) -> float | None:
    match name:
        case "n":
            return group.n
        case "mean":
            return group.mean
        case "sd":
            return group.sd
    return _of_interval(group.interval, name)


def _of_interval(interval: Interval | None, name: str) -> float | None:
    if interval is None:
        return None
    if name == "half_width":
        has_both = interval.low is not None and interval.high is not None
        return ((interval.high or 0.0) - (interval.low or 0.0)) / 2 if has_both else None
    if name == "level":
        return interval.level
    if name not in ("low", "high"):
        raise ValueError(
            f"{name!r} is not a quantity of a printed table; use half_width, low, high or level for intervals."
        )
    return interval.low if name == "low" else interval.high
