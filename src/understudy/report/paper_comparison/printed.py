"""Printed results of a paper, in the layout of its table and figures."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Literal, NamedTuple

from pydantic import JsonValue

from understudy.schema import DecoderCard, Finding, Findings, GroupSummary, Interval, Json

# Automatic scores of a generative model, which need no participants.

BY_CONSTRUCTION = 1.0
"""MIG and DCI of a true model, whose dials are the factors themselves."""


class SharedInformation(NamedTuple):
    """The mutual information of each dial with each true factor."""

    factors: tuple[str, ...]
    bits: tuple[tuple[float, ...], ...]
    """Row: dial; column: factor."""
    gaps: tuple[float, ...] = ()
    """For each factor, the gap between its best and second-best dial, as a share of the factor's entropy."""

    @property
    def strongest(self) -> tuple[str, ...]:
        """The factor that each dial shares most with."""
        return tuple(self.factors[row.index(max(row))] for row in self.bits)


class ModelScores(NamedTuple):
    """The automatic scores of one model; None where unknown."""

    label: str
    data: str
    error: float | None = None
    """Squared reconstruction error on held-out instances, summed over values; from sampled codes if available."""
    dci_paper: float | None = None
    """DCI disentanglement in the paper's roles: regressors predict the code from the factors."""
    dci: float | None = None
    """DCI disentanglement in the usual roles: regressors predict the factors from the code."""
    mig: float | None = None
    shared: SharedInformation | None = None
    dci_by_dial: tuple[float, ...] = ()
    """How far each dial follows one factor only, in the usual roles."""
    error_without: tuple[float, ...] = ()
    """For each dial, the squared change of the output when it is set to its middle."""
    dials: tuple[str, ...] = ()


def scores_from_card(card: DecoderCard, label: str, data: str) -> ModelScores:
    """Return the scores on a decoder's card."""
    provenance = card.provenance
    is_truth = is_true_model(card)
    return ModelScores(
        label,
        data,
        error=_error(provenance, is_truth=is_truth),
        dci_paper=BY_CONSTRUCTION if is_truth else _inner(provenance, "dci_legacy", "disentanglement"),
        dci=BY_CONSTRUCTION if is_truth else _inner(provenance, "dci", "disentanglement"),
        mig=BY_CONSTRUCTION if is_truth else _number(provenance.get("mig")),
        shared=_shared(provenance),
        dci_by_dial=_numbers(_mapping(provenance, "dci").get("by_dial")),
        dials=tuple(dial.name or f"dial {k}" for k, dial in enumerate(card.dials, start=1)),
    )


def is_true_model(card: DecoderCard) -> bool:
    """Tell whether the dials of a decoder are the true factors of its data."""
    recipe = card.provenance.get("recipe")
    return recipe == "closed form" or (isinstance(recipe, dict) and recipe.get("family") == "gt")


def _error(provenance: Json, *, is_truth: bool) -> float | None:
    for name in ("held_out_squared_error_by_draw", "held_out_squared_error"):
        error = _number(provenance.get(name))
        if error is not None:
            return error
    return 0.0 if is_truth and provenance.get("recipe") == "closed form" else None


def _shared(provenance: Json) -> SharedInformation | None:
    names, rows = provenance.get("factor_names"), provenance.get("mutual_information_bits")
    if not isinstance(names, list) or not isinstance(rows, list):
        return None
    return SharedInformation(
        tuple(map(str, names)), tuple(_numbers(row) for row in rows), _numbers(provenance.get("factor_gaps"))
    )


def _inner(provenance: Json, name: str, part: str) -> float | None:
    return _number(_mapping(provenance, name).get(part))


def _mapping(provenance: Json, name: str) -> dict[str, JsonValue]:
    value = provenance.get(name)
    return value if isinstance(value, dict) else {}


def _number(value: JsonValue) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _numbers(values: JsonValue) -> tuple[float, ...]:
    if not isinstance(values, Sequence) or isinstance(values, str):
        return ()
    return tuple(number for value in values if (number := _number(value)) is not None)


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


# Printed tables of a paper, and the sources of our numbers for their rows.


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
