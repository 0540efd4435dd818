"""The analysis plan: what will count as evidence, fixed before there are data."""

import json
from collections.abc import Callable, Iterator
from itertools import combinations, pairwise
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BeforeValidator, Discriminator, Field, Tag, field_validator

from understudy.schema.expression import Expression
from understudy.schema.record import Name, Record, Ref

# Stop rules: when recruitment pauses by itself; they look at people and money, never at outcomes.

Watched: TypeAlias = Literal["completed", "spent", "attrition_difference", "failed_checks"]


class StopRule(Record):
    """One limit at which nobody new may start until a researcher resumes recruitment."""

    rule_id: Name
    watches: Watched
    """completed: people who completed the study and are not excluded; spent: pay settled so far, without fees of the
    platform; attrition_difference: the largest difference between two conditions in the share that left early;
    failed_checks: the share of people who ended and were screened out at a gate or excluded by a rule."""
    at_least: float = Field(gt=0)
    """From this number of people, amount of money, or share between 0 and 1 on, recruitment pauses."""
    fewest: int = Field(default=20, ge=1, le=1_000_000)
    """How many people must have come to an end before a share counts, in each condition for a difference."""

    @property
    def is_share(self) -> bool:
        """Whether the rule is about a share of people."""
        return self.watches in ("attrition_difference", "failed_checks")

    @property
    def limit(self) -> str:
        """The limit in words."""
        at = f"{100 * self.at_least:.0f} %" if self.is_share else f"{self.at_least:g}"
        return {
            "completed": f"{at} {'person has' if self.at_least == 1 else 'people have'} completed the study",
            "spent": f"{at} has been spent on pay",
            "attrition_difference": f"conditions differ by {at} in the share that leaves early",
            "failed_checks": f"{at} of the people failed a check",
        }[self.watches]


def faults_of(rules: tuple[StopRule, ...]) -> list[str]:
    """Return a sentence for each fault of some rules."""
    ids = [rule.rule_id for rule in rules]
    twice = sorted({rule_id for rule_id in ids if ids.count(rule_id) > 1})
    return [
        *(f"Two stop rules are called {rule_id!r}; give each its own rule_id." for rule_id in twice),
        *(
            f"The stop rule {rule.rule_id!r} has at_least {rule.at_least:g}, but {rule.watches} is a share; give a "
            "number between 0 and 1."
            for rule in rules
            if rule.is_share and rule.at_least > 1
        ),
    ]


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


# Tests that do not go together: several without a family, the same one twice, and claims that contradict.

_REVERSED = {"greater": "less", "less": "greater"}


def claim_faults(plan: AnalysisPlan) -> Iterator[str]:
    """Yield what is wrong between the hypotheses of a plan."""
    yield from _uncorrected(plan)
    for first, second in combinations(plan.hypotheses, 2):
        names = f"Hypotheses {first.hypothesis_id!r} and {second.hypothesis_id!r}"
        if _core(first) == _core(second):
            yield f"{names} are the same test under two names. Keep one of them."
        elif _core(first) == _core(second, is_reversed=True):
            yield f"{names} claim opposite directions of one effect, so one must fail. Keep the one you expect."


def _uncorrected(plan: AnalysisPlan) -> Iterator[str]:
    """Yield the tests of one outcome and factor that are all decisive and share no correction."""
    for tests in _alone(plan, lambda test: [test.outcome, test.factor, test.crossed_with, test.other, test.against]):
        if _are_chances(tests):
            yield _uncorrected_words(tests, "test one outcome several times")


def shared_outcomes(plan: AnalysisPlan) -> Iterator[str]:
    """Yield the tests of one measure that compare it with different things and share no correction.

    Several pairs of one factor are a fault (`claim_faults`); here, the tests together are worth a word. A test against
    a constant is left out: that an outcome is above chance is not another chance of finding what it goes with.
    """
    outcomes = {outcome.name: outcome for outcome in plan.outcomes}

    def quantity(test: Hypothesis) -> list[str | None]:
        known = outcomes.get(test.outcome)
        return [test.outcome, None] if known is None else [known.measure, known.where]

    for tests in _alone(plan, quantity, only=lambda test: test.factor is not None or test.other is not None):
        if len({(test.factor, test.crossed_with, test.other) for test in tests}) > 1:
            measure = quantity(tests[0])[0]
            yield _uncorrected_words(tests, f"test {measure!r} against several things")


def _alone(
    plan: AnalysisPlan, question: Callable[[Hypothesis], list[Any]], *, only: Callable[[Hypothesis], bool] = bool
) -> Iterator[list[Hypothesis]]:
    """Yield the decisive tests of the same rows and question that no family, gate or smaller alpha corrects."""
    alone: dict[str, list[Hypothesis]] = {}
    for hypothesis in plan.hypotheses:
        is_decisive = hypothesis.is_confirmatory and hypothesis.family is None and hypothesis.requires is None
        if is_decisive and only(hypothesis):
            # The same rows: tests of other rows, such as of another kind of item, ask another question.
            alone.setdefault(json.dumps([*question(hypothesis), hypothesis.where]), []).append(hypothesis)
    for tests in alone.values():
        alphas = sum(plan.alpha if test.alpha is None else test.alpha for test in tests)
        # Alphas that add up to the plan's are a Bonferroni correction by hand.
        if len(tests) > 1 and alphas > plan.alpha * (1 + 1e-9):
            yield tests


def _uncorrected_words(tests: list[Hypothesis], what: str) -> str:
    ids = ", ".join(hypothesis.hypothesis_id for hypothesis in tests)
    return (
        f"Hypotheses {ids} {what} without a family, so chance alone supports one too often. Put them into a family; its "
        'correction may be "none", if you mean it.'
    )


def _are_chances(tests: list[Hypothesis]) -> bool:
    """Return whether tests are further chances of one effect: other pairs of levels, or the same pair in another way."""
    pairs = {hypothesis.contrast for hypothesis in tests}
    kinds = {hypothesis.analysis.name if isinstance(hypothesis.analysis, Ref) else "tree" for hypothesis in tests}
    # One analysis of one pair with other parameters estimates something else, such as a change against a control's.
    return len(pairs) > 1 or len(kinds) > 1


def _core(hypothesis: Hypothesis, *, is_reversed: bool = False) -> str:
    """Return a hypothesis without its name and words, so that equal tests are equal."""
    update: dict[str, object] = {"hypothesis_id": "h", "claim": ""}
    if is_reversed:
        if hypothesis.direction not in _REVERSED and hypothesis.expects is None:
            return ""
        update["direction"] = _REVERSED.get(hypothesis.direction, hypothesis.direction)
        update["expects"] = _REVERSED.get(hypothesis.expects or "")
    return hypothesis.model_copy(update=update).model_dump_json()
