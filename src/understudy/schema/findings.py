"""Findings of a plan, and the codebook of the tables they rest on."""

from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

from pydantic import BeforeValidator

from understudy.deferred import Deferred
from understudy.schema.log_entries import Registration, Status
from understudy.schema.plan import Scale
from understudy.schema.record import Record


class CodebookEntry(Record):
    """Describes one column for readers who do not know the study."""

    variable: str
    """The column's heading, exactly."""
    description: str
    type: Literal["text", "number", "integer", "boolean"] = "number"
    unit: str = ""
    """Unit of the values, such as ms; empty when they have none."""
    scale: Scale | None = None
    levels: tuple[str, ...] = ()
    """The possible values of a column that has only a few."""
    source: str = ""
    """Where the values come from: a factor, a measure, a question, the log."""


RESERVED_COLUMNS = frozenset({
    "base_pay", "block", "bonus", "cast", "condition", "excluded_by", "flags", "is_pilot", "is_synthetic", "item", "minutes", "n_answers",
    "outcome", "participant", "position", "rt_ms", "session", "step", "trial", "try",
})  # fmt: skip
"""Columns that every study's tables have; nothing that a study declares may have these names."""


def is_reserved(name: str) -> bool:
    """Tell whether a name belongs to a column that every table has, including answers."""
    return name in RESERVED_COLUMNS or name.startswith("answer.")


# Findings: one per hypothesis, with everything a reviewer asks for.

if TYPE_CHECKING:
    from understudy.schema import readable
else:
    readable = Deferred("understudy.schema.readable")

Side: TypeAlias = Literal["greater", "less"]
Verdict: TypeAlias = Literal["supported", "opposite", "not_supported", "inconclusive", "not_tested"]
"""opposite: the data support the reversed claim, in a direction that the hypothesis does not claim."""


class Interval(Record):
    """A confidence interval; an open side is absent."""

    low: float | None
    high: float | None
    level: float

    @property
    def percent(self) -> str:
        """The level, with enough digits that an early look of a sequential study does not read 100%."""
        digits = next((n for n in range(3, 9) if float(f"{self.level * 100:.{n}g}") < 100), 9)
        return f"{self.level * 100:.{digits}g}%"


class EffectSize(Record):
    """A standardised size of an effect, by the name papers use."""

    name: str
    value: float | None
    interval: Interval | None = None
    null_value: float | None = None
    """The value that means no effect; absent in files of version 0.1.0."""


class GroupSummary(Record):
    """n, centre and spread of one group or cell."""

    group: str
    n: int
    mean: float | None
    sd: float | None = None
    median: float | None = None
    interval: Interval | None = None


class DiagnosticPanel(Record):
    """Points of one diagnostic plot of a fitted model, thinned for a figure."""

    kind: Literal["residuals", "quantiles", "binned"]
    """Residuals over fitted values; sorted values over normal quantiles; mean residuals over expected answers."""
    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    bound: tuple[float, ...] = ()
    """Of binned residuals: twice the standard error, within which about 95 % of them should lie."""


class Estimate(Record):
    """What an analysis computed, before any verdict."""

    effect: float | None
    """In the unit of the outcome, if it has one; `effect_name` says what it is."""
    effect_name: str
    null_value: float | None = None
    """The value that means no effect, such as 0 for a difference; absent if the estimate is compared with nothing."""
    interval: Interval | None = None
    statistic: float | None = None
    statistic_name: str = ""
    df: tuple[float, ...] = ()
    p_value: float | None = None
    bayes_factor: float | None = None
    """Of the effect against none, where the analysis gives one; `details` has the threshold that decides."""
    n_sessions: int
    n_rows: int
    effect_sizes: tuple[EffectSize, ...] = ()
    groups: tuple[GroupSummary, ...] = ()
    details: dict[str, float | None] = {}
    """Further numbers by name: sphericity, variance components, the other interval."""
    side: Side | None = None
    """On which side of no effect the test found the data, where neither the name of the statistic nor the effect is sure to
    say so: the shift between two groups of ratings is often exactly 0 although their ranks differ."""
    notes: tuple[str, ...] = ()
    rests_on: str = ""
    """The model that the result rests on where the planned one does not hold, and why; empty if it is as planned."""
    diagnostics: tuple[DiagnosticPanel, ...] = ()
    """Of mixed models: what residuals and random effects look like."""

    @property
    def tests_nothing(self) -> bool:
        """Whether there is no p-value because nothing was tested, rather than because a test could not be computed."""
        if self.p_value is not None or self.bayes_factor is not None:
            return False
        return self.null_value is None or any(note.startswith("Estimation only") for note in self.notes)

    @property
    def tested_side(self) -> Side | None:
        """The side of no effect on which the data lie, as tested; None if they are on neither, or the test has no sides."""
        if self.side is not None:
            return self.side
        if self.statistic_name in _SIGNED and self.statistic is not None:
            return side_of(self.statistic)
        return self.estimated_side

    @property
    def estimated_side(self) -> Side | None:
        """The side of no effect on which the estimate lies, which the test need not share; None at no effect itself."""
        if self.effect is None or self.null_value is None:
            return None
        return side_of(self.effect - self.null_value)


_SIGNED = frozenset({"t", "z"})
"""Statistics that are 0 without an effect and have its sign."""


def side_of(difference: float) -> Side | None:
    """Return the side of 0 on which a number lies; None for 0 and for NaN."""
    return "greater" if difference > 0 else "less" if difference < 0 else None


class CheckResult(Record):
    """One branch of a decision tree: an assumption, the result of its test, and the analysis it led to."""

    check: str
    statistic: float | None
    p_value: float | None
    holds: bool
    led_to: str


def _status_of_any_version(value: object) -> object:
    # Version 0.1.0 wrote "confirmatory" for what digests prove, without asking for a registration.
    return "planned" if value == "confirmatory" else value


class Finding(Record):
    """The result of one hypothesis."""

    hypothesis_id: str
    claim: str
    analysis: str
    estimate: Estimate | None
    p_adjusted: float | None
    alpha: float
    verdict: Verdict
    status: Annotated[Status, BeforeValidator(_status_of_any_version)]
    is_interim: bool = False
    """Whether the planned sample of a sequential study is not complete, so that looks are still to come."""
    why: tuple[str, ...] = ()
    """Reasons for the status, and for a verdict that needs one."""
    checks: tuple[CheckResult, ...] = ()
    assumptions: tuple[CheckResult, ...] = ()
    """Assumptions of the analysis, checked on the same rows for readers to judge; nothing follows from it."""
    estimand: str = ""
    """What the analysis estimates, in words; empty if it does not say, and in files of version 0.1.0."""
    is_corrected: bool | None = None
    """Whether a family, a gate or a smaller alpha of its own allows for other tests; absent in older files."""
    cautions: tuple[str, ...] = ()
    """What limits the verdict, such as items that are taken as all there are; said wherever the verdict is."""


class DescriptionTable(Record):
    """The figures of one planned description."""

    description_id: str
    outcome: str
    by: tuple[str, ...]
    groups: tuple[GroupSummary, ...]


class FlowStep(Record):
    """One box of the participant flow: who left here, and why."""

    label: str
    reason: str = ""
    n_left: int
    n_remaining: int
    by_condition: dict[str, int] = {}
    """How many remain in each condition after this step."""


class ParticipantFlow(Record):
    """From everyone recruited to everyone analysed."""

    n_recruited: int
    steps: tuple[FlowStep, ...]
    n_analysed: int
    n_partial: int = 0
    """Those of the analysed who left before the end."""
    by_condition: dict[str, int] = {}
    """How many of the analysed are in each condition, also where no step took anybody out; absent in older files."""
    groups: dict[str, dict[str, int]] = {}
    """Of data collected elsewhere: how many of the analysed have each level of each factor between people, or none."""


class MissingAnswers(Record):
    """How many answers one stage lacks in one condition, of everybody who completed or left and was not excluded."""

    condition: str
    block_id: str
    n_people: int
    n_left: int
    """Those of them who left before the end, in whichever stage."""
    n_reached: int
    """Those of them with at least one answer in this stage."""
    n_expected: int | None
    """Answers that all of them would have given; absent where a person's number of questions is not fixed."""
    n_given: int


class Provenance(Record):
    """Which study, which data, which software."""

    study_name: str
    study_digest: str
    data_digest: str
    seed: int
    software: dict[str, str]
    is_synthetic: bool
    deviations: tuple[str, ...] = ()
    preregistered_digest: str | None = None
    registrations: tuple[Registration, ...] = ()
    """The entries of the log for this study, oldest first."""
    steering: tuple[str, ...] = ()
    """What was done about the running study: pauses, resumptions, and requests for the names of conditions."""
    is_pilot: bool = False
    """Whether the people took part in a pilot, which is never pooled with its study."""


class PublishedComparison(Record):
    """A published figure and the recomputed one."""

    label: str
    published: float
    recomputed: float | None
    decimals: int
    agrees: bool
    is_expected: bool = True
    """Whether agreement was expected; a known disagreement is shown too."""
    note: str = ""


class KindFigure(Record):
    """n, mean and spread of an outcome over the people of one kind."""

    n: int
    mean: float | None
    sd: float | None = None


class KindRow(Record):
    """What one kind of simulated person did in one condition, at one combination of within-levels."""

    is_synthetic: Literal[True] = True
    condition: str
    kind: str
    """The catalogue name of the simulated person."""
    levels: dict[str, str] = {}
    n_came: int
    """People of this kind who arrived in the condition."""
    n_analysed: int
    """Those of them whose answers the plan counts."""
    outcomes: dict[str, KindFigure]
    """The plan's outcomes over the analysed, by name."""


class SensitivityResults(Record):
    """The findings of the same hypotheses with sessions that the main analysis leaves out."""

    name: str
    keeps: tuple[str, ...]
    """The exclusions whose sessions count here."""
    n_analysed: int
    n_by_condition: dict[str, int] = {}
    findings: tuple[Finding, ...]
    is_declared: bool = True
    """Whether the plan has it; otherwise it was added because an exclusion took people out."""


class LookRow(Record):
    """One planned look of a sequential study, and what it may spend of the plan's alpha."""

    n: int
    """Analysed people at this look."""
    nominal: float
    """The p-value below which a two-sided test rejects at this look."""
    nominal_one_sided: float | None = None
    """The same for one-sided tests; absent if the plan has none."""
    spent: float
    """The part of alpha spent up to this look."""
    is_reached: bool


class Findings(Record):
    """Everything that an analysis reports."""

    title: str
    provenance: Provenance
    flow: ParticipantFlow
    findings: tuple[Finding, ...]
    descriptions: tuple[DescriptionTable, ...] = ()
    published: tuple[PublishedComparison, ...] = ()
    missing: tuple[MissingAnswers, ...] = ()
    """By condition and stage; empty where nobody left."""
    sensitivity: tuple[SensitivityResults, ...] = ()
    kinds: tuple[KindRow, ...] = ()
    """By kind of simulated person; empty where people answered."""
    looks: tuple[LookRow, ...] = ()
    """The planned looks of a sequential study; findings are those of the last one reached."""
    cautions: tuple[str, ...] = ()
    """Reasons to doubt the plan itself, of data collected elsewhere: nobody checked it before there were data."""

    def __repr__(self) -> str:
        """Say what was found of each hypothesis."""
        verdicts = ", ".join(f"{finding.hypothesis_id} {finding.verdict}" for finding in self.findings)
        synthetic = ", synthetic" if self.provenance.is_synthetic else ""
        pilot = ", pilot" if self.provenance.is_pilot else ""
        return f"Findings({self.flow.n_analysed} analysed{synthetic}{pilot}: {verdicts})"

    def __str__(self) -> str:
        """Return the findings with their figures, as lines of text."""
        return readable.findings_words(self)
