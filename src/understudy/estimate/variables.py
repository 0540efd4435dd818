"""Variables: what a plan may refer to, and whether ids tell people apart."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from understudy import registry
from understudy.errors import UnderstudyError
from understudy.roles import Measure
from understudy.schema import MeasureUse, Outcome, Reanalysis, Scale, Study, blocks_in

Unit: TypeAlias = Literal["participant", "trial"]
MeasuredUnit: TypeAlias = Literal["question", "trial", "session"]
"""What has one number: a question of a trial, a trial or a session."""


@dataclass(frozen=True)
class MeasureVariable:
    """A measure: its unit, its scale and which end of it is good."""

    unit: MeasuredUnit
    scale: Scale
    better: Literal["higher", "lower", "neither"] = "neither"
    blocks: tuple[str, ...] = ()
    """Blocks whose rows it is measured in; rows of other blocks do not count as missing. All when empty."""


@dataclass(frozen=True)
class FactorVariable:
    """A factor: what it varies over, and its levels in order."""

    scope: Literal["between", "within", "item", "question"]
    levels: tuple[str, ...]


@dataclass(frozen=True)
class Variables:
    """Measures and factors by name, and further columns that a `where` may name."""

    measures: Mapping[str, MeasureVariable]
    factors: Mapping[str, FactorVariable] = field(default_factory=dict)
    has_items: bool = False
    columns: frozenset[str] = frozenset()
    """Further columns of the trial table."""
    session_columns: frozenset[str] = frozenset()
    unreadable: frozenset[str] = frozenset()
    """Measures whose entry cannot be built; this is a fault of the study and not of the plan."""

    def nameable(self, unit: MeasuredUnit) -> frozenset[str]:
        """Return everything that a `where` over the table of a unit may name."""
        measures = {name for name, measure in self.measures.items() if measure.unit == unit}
        if unit == "session":
            return frozenset({"participant", *measures, *self.factors_of_scope("between")}) | self.session_columns
        item = {"item"} if self.has_items else set()
        return frozenset({"participant", *item, *measures, *self.factors_at(unit)}) | self.columns

    def factors_at(self, unit: MeasuredUnit) -> tuple[str, ...]:
        """Return the factors that the table of a unit has."""
        scopes = ("between",) if unit == "session" else ("between", "within", "item")
        return self.factors_of_scope(*scopes, *(("question",) if unit == "question" else ()))

    def factors_of_scope(self, *scopes: str) -> tuple[str, ...]:
        """Return the names of the factors of these scopes, in order."""
        return tuple(name for name, factor in self.factors.items() if factor.scope in scopes)

    def unit_of(self, outcome: Outcome) -> Unit:
        """Return whether an outcome has one number per participant (and cell), or one per trial."""
        is_single = self.measures[outcome.measure].unit != "session" and outcome.summary is None
        return "trial" if is_single else "participant"

    def scale_of(self, outcome: Outcome) -> Scale:
        """Return the scale an outcome has after its summary."""
        measure = self.measures[outcome.measure]
        if measure.unit == "session" or outcome.summary is None:
            return measure.scale
        return summarised_scale(measure.scale, outcome.summary)

    def columns_of(self, outcome: Outcome) -> tuple[str, ...]:
        """Return the factors in the rows of an outcome."""
        if self.unit_of(outcome) == "trial":
            return self.factors_at(self.measures[outcome.measure].unit)
        return (*self.factors_of_scope("between"), *outcome.by)


def summarised_scale(scale: Scale, summary: str) -> Scale:
    """Return the scale of a participant's summary of values on a scale.

    >>> summarised_scale("binary", "mean"), summarised_scale("ordinal", "mean"), summarised_scale("binary", "sum")
    ('bounded', 'ordinal', 'count')
    """
    if summary == "count":
        return "count"
    if summary == "gain":
        return "continuous"
    # A mean of yes and no is a share, and a sum of them is a count.
    changed: dict[tuple[Scale, str], Scale] = {
        ("binary", "mean"): "bounded",
        ("binary", "median"): "bounded",
        ("binary", "sum"): "count",
        ("count", "mean"): "continuous",
        ("count", "median"): "continuous",
        ("bounded", "sum"): "continuous",
    }
    return changed.get((scale, summary), scale)


_OF_SESSIONS = frozenset({"session", "condition", "is_synthetic", "minutes"})
_OF_TRIALS = frozenset({"session", "condition", "is_synthetic", "block", "position", "trial", "rt_ms"})


def variables_from_study(study: Study) -> Variables:
    """Return what a study's plan may refer to."""
    strata = {name for items in study.item_sets for name in items.strata}
    main = tuple(block.block_id for block in blocks_in(study.flow) if block.purpose == "main")
    measures = {use.name: _measure_variable(use, use.blocks or main) for use in study.measures}
    return Variables(
        measures={name: measure for name, measure in measures.items() if measure is not None},
        factors={factor.name: FactorVariable(factor.scope, factor.levels) for factor in study.factors},
        has_items=bool(study.item_sets),
        columns=_OF_TRIALS | strata,
        session_columns=_OF_SESSIONS,
        unreadable=frozenset(name for name, measure in measures.items() if measure is None),
    )


def variables_from_reanalysis(reanalysis: Reanalysis, columns: frozenset[str] = frozenset()) -> Variables:
    """Return what the plan of a reanalysis may refer to; `columns` are the headings of its table."""
    known = columns | frozenset(reanalysis.table.columns) | frozenset(new.name for new in reanalysis.derive)
    return Variables(
        measures={
            measure.name: MeasureVariable(measure.unit, measure.scale, measure.better)
            for measure in reanalysis.measures
        },
        factors={factor.name: FactorVariable(factor.scope, factor.levels) for factor in reanalysis.factors},
        has_items=reanalysis.table.item is not None,
        columns=known,
        session_columns=known,
    )


def _measure_variable(use: MeasureUse, blocks: tuple[str, ...]) -> MeasureVariable | None:
    try:
        measure: Measure = registry.create("measures", use.ref)
    except UnderstudyError:
        return None
    if use.summary is None:
        unit: MeasuredUnit = measure.unit if use.over is None else "question"
        return MeasureVariable(unit, measure.scale, measure.better, blocks)
    return MeasureVariable("session", summarised_scale(measure.scale, use.summary), measure.better)
