"""Verdicts of a concept test: four result sets, six comparisons, twelve hypotheses and what led to each."""

from typing import Literal, TypeAlias

from pydantic import Field

from understudy.schema.record import Record

SetId: TypeAlias = Literal["PP", "PD", "MP", "MD"]
AnalysisId: TypeAlias = Literal["A1", "A2", "A3", "A4", "A5", "A6"]
HypothesisId: TypeAlias = Literal["H1", "H2", "H3", "H4", "H5", "H6", "H7", "H8", "H9", "H10", "H11", "H12"]
Sign: TypeAlias = Literal[">", "<", "~"]
State: TypeAlias = Literal["confirmed", "unproven", "rejected"]
Cell: TypeAlias = Literal["supports", "rejects", "unproven", "conditional"]
Correction: TypeAlias = Literal["none", "holm"]
ProbeTest: TypeAlias = Literal["t", "sign_flip", "runs"]


class RuleOptions(Record):
    """Choices that the published rules leave open; the defaults are as printed, or the only sensible reading."""

    score: Literal["certain", "as_printed", "correctness"] = "certain"
    """(1 - uncertainty) x correctness; or uncertainty x correctness, which is what the paper prints; or
    correctness alone."""
    a1_less_votes_h7_h8: bool = False
    """Whether A1 `<` also rejects H7 and confirms H8; as printed it leaves both alone."""
    a2_less_votes_h7_h8: bool = True
    """Whether A2 `<` rejects H7 and confirms H8, as printed."""
    less_confirms_h4: bool = True
    """Whether A1 `<` and A2 `<` confirm H4 ("M+ took the concept in"), as printed."""
    caution: Literal["as_printed", "flag", "vote"] = "as_printed"
    """What a caution does: as printed, A3 votes and flags while A2 and A5 only flag; or all only flag; or all vote."""


class ResultSet(Record):
    """Mean score of one model on one data set, with its interval."""

    id: SetId
    model: Literal["M+", "M"]
    data: Literal["D+", "D"]
    mean: float
    low: float
    high: float
    n: int


class Comparison(Record):
    """One paired comparison of two result sets, left minus right."""

    id: AnalysisId
    left: SetId
    right: SetId
    difference: float
    low: float
    high: float
    sd: float
    """Standard deviation of the differences; over runs, of one object's differences within a run."""
    t: float | None
    """None if the differences have no spread, or no t was computed."""
    df: float | None = None
    p: float
    p_adjusted: float
    """What the threshold is compared with."""
    effect: float | None
    """Difference over its standard deviation (d_z); None without spread."""
    effect_low: float | None = None
    effect_high: float | None = None
    outcome: Sign
    method: Literal["t", "exact", "drawn", "runs", "none"] = "t"
    """How p was computed: t distribution, all sign patterns, drawn ones, runs x objects, or not at all."""
    note: str = ""


class Vote(Record):
    """An analysis supports (1) or opposes (-1) a hypothesis."""

    analysis: AnalysisId
    vote: Literal[1, -1]


class Muted(Record):
    """An analysis that was significant and bears on a hypothesis, but did not vote, and why."""

    analysis: AnalysisId
    reason: str


class Caution(Record):
    """Something to keep in mind when reading a hypothesis."""

    analysis: AnalysisId
    sentence: str


class HypothesisVerdict(Record):
    """One hypothesis, its state and the trace that led to it."""

    id: HypothesisId
    statement: str
    state: State
    indicator: int
    votes: tuple[Vote, ...] = ()
    muted: tuple[Muted, ...] = ()
    cautions: tuple[Caution, ...] = ()
    sentence: str
    claims: dict[State, str]
    """What each state would say in plain language, for a reader who moves the threshold."""


class Flip(Record):
    """A verdict that changes when the threshold rises above `alpha`."""

    hypothesis: HypothesisId
    alpha: float
    to: State


class RunTest(Record):
    """A comparison that treats both runs and objects as random, with the variation of each."""

    id: AnalysisId
    difference: float
    low: float
    high: float
    standard_error: float
    df: float
    t: float | None
    p: float
    p_adjusted: float
    run_sd: float
    item_sd: float
    outcome: Sign


class Repeats(Record):
    """How often each hypothesis is confirmed over repeated training runs, each judged alone."""

    n: int
    names: tuple[str, ...]
    test: Literal["t", "sign_flip"]
    """The test within each run."""
    shares: dict[HypothesisId, float]
    """Share of runs in which the hypothesis is confirmed."""
    rejected: dict[HypothesisId, float]
    run_test: tuple[RunTest, ...]


class Needed(Record):
    """How many test objects one comparison needs to see a difference."""

    analysis: AnalysisId
    sd: float
    n_needed: int | None
    """None if more than a billion would be needed, or if there is no spread to plan with."""
    power_now: float | None
    smallest_now: float | None
    """The smallest difference that is detected with the wanted power at the present number of objects."""


class Sizing(Record):
    """How many test objects every comparison needs, for one difference and one power."""

    difference: float
    power: float
    alpha: float
    """The threshold each single test is planned at; with Holm, that of its strictest step."""
    needed: tuple[Needed, ...]


class GroupVerdicts(Record):
    """The same verdicts for a part of the test objects."""

    name: str
    n: int
    verdicts: "Verdicts"


class Verdicts(Record):
    """Everything a concept test says, in one document."""

    version: Literal["1"] = "1"
    concept: str
    alpha: float = Field(gt=0, lt=1)
    correction: Correction
    test: ProbeTest
    options: RuleOptions
    n_objects: int
    n_dropped: dict[str, int]
    """Reason -> objects left out; every reason is always there."""
    notes: tuple[str, ...] = ()
    results: tuple[ResultSet, ...]
    analyses: tuple[Comparison, ...]
    hypotheses: tuple[HypothesisVerdict, ...]
    cells: tuple[tuple[Cell | None, ...], ...]
    """One row for each hypothesis, one cell for each analysis; None where it does not bear on it."""
    group_by: str | None = None
    groups: tuple[GroupVerdicts, ...] = ()
    repeats: Repeats | None = None
    flips: tuple[Flip, ...] = ()
    sizing: Sizing | None = None


GroupVerdicts.model_rebuild()
