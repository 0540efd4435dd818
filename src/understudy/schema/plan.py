"""The analysis plan: what will count as evidence, fixed before there are data."""

from itertools import pairwise
from typing import Annotated, Literal, TypeAlias

from pydantic import BeforeValidator, Discriminator, Field, Tag, field_validator

from understudy.schema.expression import Expression
from understudy.schema.record import Name, Record
from understudy.schema.ref import Ref
from understudy.schema.stop_rule import StopRule

Scale: TypeAlias = Literal["binary", "nominal", "ordinal", "count", "bounded", "time", "continuous"]
Summary: TypeAlias = Literal["mean", "sum", "median", "min", "max", "count", "first", "last", "gain"]
"""gain: the mean of the last values less that of the first, the middle one of an odd number left out."""
PartialSessions: TypeAlias = Literal["left_out", "kept"]
Direction: TypeAlias = Literal["greater", "less", "different", "equivalent"]
Expected: TypeAlias = Literal["greater", "less"]


def _spoken_none(value: object) -> object:
    """Read the word "none", since TOML has no null."""
    return None if value == "none" else value


class Outcome(Record):
    """A quantity as the analysis sees it: a measure over chosen rows, summarised to the analysed unit."""

    name: Name
    measure: str
    where: Expression | None = None
    summary: Annotated[Summary | None, BeforeValidator(_spoken_none)] = "mean"
    """How a participant's rows become one number in each cell of `by`; null, or "none", keeps single trials."""
    by: tuple[str, ...] = ()
    """Within- and item-factors whose levels get separate rows for each participant."""
    complete_over: str | None = None
    """A within-factor, such as phase: only items that a person answered at each of its levels count."""


class Check(Record):
    """An assumption that decides which analysis runs: a branch of a declared tree."""

    check: Ref
    alpha: float = Field(default=0.05, gt=0, lt=1)
    levels: Literal["contrasted", "all"] = "contrasted"
    """all: checks every level of the factor, so that a contrast takes the branch of the test of all levels."""
    if_holds: "AnalysisChoice"
    if_fails: "AnalysisChoice"


def _choice_tag(value: object) -> str:
    is_check = isinstance(value, Check) or (isinstance(value, dict) and "check" in value)
    return "check" if is_check else "analysis"


AnalysisChoice: TypeAlias = Annotated[
    Annotated[Ref, Tag("analysis")] | Annotated[Check, Tag("check")], Discriminator(_choice_tag)
]
Check.model_rebuild()


class Hypothesis(Record):
    """One claim, the outcome it is about, and the test that decides it."""

    hypothesis_id: Name
    claim: str
    plain: str | None = None
    """The claim in everyday words, for the page that people who took part can read."""
    outcome: str
    other: str | None = None
    """The second outcome of an association or agreement."""
    factor: str | None = None
    """The factor whose levels are compared."""
    contrast: tuple[str, str] | None = None
    """Two of its levels: the first minus the second. Without it, all levels are compared together."""
    crossed_with: str | None = None
    """A second factor, for analyses of two."""
    where: Expression | None = None
    """Rows of the outcome that count here."""
    direction: Direction = "different"
    """What the test can show: greater and less have one side, different has two."""
    expects: Expected | None = None
    """The direction that the claim states although its test is two-sided; an effect the other way is not support."""
    against: float | None = None
    """The value that a single sample is compared with, such as chance."""
    analysis: AnalysisChoice
    alpha: float | None = Field(default=None, gt=0, lt=1)
    family: str | None = None
    """Hypotheses of one family share a correction."""
    requires: str | None = None
    """A hypothesis that must be supported first; otherwise this one is not tested."""
    is_confirmatory: bool = True


class Family(Record):
    """Hypotheses corrected together."""

    name: Name
    correction: Literal["none", "bonferroni", "holm", "fdr"] = "holm"
    """bonferroni and holm keep the chance of any false claim below alpha; fdr keeps the expected share of false claims
    among those supported below it (Benjamini & Hochberg 1995)."""
    n_tests: int | None = Field(default=None, ge=1, le=10**100)
    """The number of tests to correct for, when it is more than the plan holds."""


class Description(Record):
    """A table of plain figures: n, centre, spread and interval of an outcome in each group."""

    description_id: Name
    outcome: str
    by: tuple[str, ...] = ()
    where: Expression | None = None
    interval: Literal["t", "wilson", "bootstrap", "participants", "participants_and_items", "none"] = "t"
    """How the interval of the mean is made. The first three take rows as independent; for several rows of a person,
    participants draws people, participants_and_items people and items at once."""


class Sensitivity(Record):
    """All hypotheses once more, with sessions that some exclusions took out; always exploratory."""

    name: Name
    keeps: tuple[str, ...] = ()
    """Exclusions whose sessions count here; all when empty."""


class Sequential(Record):
    """Looks at growing data, planned beforehand; each may spend part of alpha, and testing ends at the last."""

    looks: tuple[Annotated[int, Field(le=1_000_000)], ...] = Field(min_length=2, max_length=10)
    """Numbers of analysed people at which the data are looked at, rising; the last is the planned size."""
    spending: Literal["obrien_fleming", "pocock"] = "obrien_fleming"
    """obrien_fleming: hardly any alpha early, nearly all of it at the end; pocock: about as much at every look."""

    @field_validator("looks")
    @classmethod
    def _rising(cls, looks: tuple[int, ...]) -> tuple[int, ...]:
        if looks[0] < 2 or any(later <= earlier for earlier, later in pairwise(looks)):
            written = ", ".join(map(str, looks))
            raise ValueError(f"looks are {written}; write rising numbers of people from 2 on, such as 40, 80, 120.")
        return looks

    def n_reached(self, n_analysed: int) -> int:
        """Return how many looks these many analysed people are enough for."""
        return sum(n <= n_analysed for n in self.looks)

    def is_blind(self, n_analysed: int) -> bool:
        """Return whether looks are still to come, so that nothing may tell conditions apart until then."""
        return self.n_reached(n_analysed) < len(self.looks)

    def sentence(self, n_analysed: int, n_recorded: int = 0) -> str:
        """Say which look was reached, and when the next one comes.

        `n_recorded` looks are in the log: a look stays reached if somebody is excluded later.
        """
        number, looks = max(self.n_reached(n_analysed), n_recorded), self.looks
        so_far = f"{n_analysed} of {looks[-1]} people are analysed"
        if number == len(looks):
            return f"This is the last of {len(looks)} looks: {so_far}, and testing ends here."
        if number == 0:
            return f"No look yet: {so_far}, and the first of {len(looks)} looks comes at {looks[0]}. Nothing is tested before."
        return (
            f"This is look {number} of {len(looks)}, at the first {looks[number - 1]} people: {so_far}, and the next look comes "
            f"at {looks[number]}. People who finish after look {number} are not tested until then."
        )


class AnalysisPlan(Record):
    """Outcomes, descriptions and hypotheses with their error rates."""

    outcomes: tuple[Outcome, ...] = Field(min_length=1)
    hypotheses: tuple[Hypothesis, ...] = ()
    descriptions: tuple[Description, ...] = ()
    families: tuple[Family, ...] = ()
    sensitivity: tuple[Sensitivity, ...] = ()
    sequential: Sequential | None = None
    """Looks before the last person; without it, findings come from all data at once."""
    partial_sessions: PartialSessions = "left_out"
    """kept: people who withdrew without erasing, or just left, count with the answers they gave. People who did
    not consent, were screened out or were excluded never count."""
    alpha: float = Field(default=0.05, gt=0, lt=1)
    confidence: float = Field(default=0.95, gt=0, lt=1)
    blinded: bool = False
    """Whether the desk calls conditions A, B, … and nobody gets a report or an archive until a researcher asks for the
    names, with a reason. Monitoring is blind in any case."""
    stop_rules: tuple[StopRule, ...] = ()
    """When recruitment pauses by itself; none of them looks at outcomes."""

    def promised(self) -> "AnalysisPlan":
        """Return the plan without its exploratory parts; a plan without confirmatory hypotheses stays whole."""
        by_id = {hypothesis.hypothesis_id: hypothesis for hypothesis in self.hypotheses}
        promised: dict[str, Hypothesis] = {}
        waiting = [hypothesis for hypothesis in self.hypotheses if hypothesis.is_confirmatory] or [*self.hypotheses]
        while waiting:
            hypothesis = waiting.pop()
            promised[hypothesis.hypothesis_id] = hypothesis
            # A hypothesis that a promised one requires is promised too, or the plan could not be run.
            if hypothesis.requires in by_id and hypothesis.requires not in promised:
                waiting.append(by_id[hypothesis.requires])
        hypotheses = tuple(hypothesis for hypothesis in self.hypotheses if hypothesis.hypothesis_id in promised)
        used = {hypothesis.family for hypothesis in hypotheses}
        families = tuple(family for family in self.families if family.name in used)
        promised_parts = {"hypotheses": hypotheses, "descriptions": (), "families": families, "sensitivity": ()}
        return self.model_copy(update=promised_parts)

    def at_earlier_look(self) -> "AnalysisPlan":
        """Return the plan as an earlier look ran it: every hypothesis on its own, since corrections come at the end."""
        hypotheses = tuple(claim.model_copy(update={"family": None, "requires": None}) for claim in self.hypotheses)
        return self.model_copy(update={"hypotheses": hypotheses, "descriptions": (), "families": (), "sensitivity": ()})

    def repeated(self) -> "AnalysisPlan":
        """Return the plan as a sensitivity analysis runs it: hypotheses only, none of them confirmatory."""
        hypotheses = tuple(hypothesis.model_copy(update={"is_confirmatory": False}) for hypothesis in self.hypotheses)
        return self.model_copy(update={"hypotheses": hypotheses, "descriptions": (), "sensitivity": ()})
