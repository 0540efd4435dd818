"""The rules of a concept test, which turn six outcomes into votes and cautions for twelve hypotheses."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from understudy.probe.hypotheses import ANALYSES, HYPOTHESES
from understudy.schema import RuleOptions
from understudy.schema.probe import AnalysisId, Caution, Cell, HypothesisId, Muted, Sign, State, Vote

Outcomes: TypeAlias = Mapping[AnalysisId, Sign]
_Ids: TypeAlias = tuple[HypothesisId, ...]
_STEPS: tuple[tuple[AnalysisId, ...], ...] = (("A1", "A4", "A6"), ("A2", "A5"), ("A3",))
"""Analyses in voting order; a condition uses the states after the earlier steps."""


class Rule(NamedTuple):
    """What an outcome of an analysis means if its condition holds."""

    analysis: AnalysisId
    outcome: Sign
    confirms: _Ids = ()
    rejects: _Ids = ()
    depends_on: HypothesisId | None = None
    states: tuple[State, ...] = ()
    """The states of `depends_on` in which the rule applies."""
    is_cautious: bool = False
    is_silent: bool = False
    """Whether the rule adds a caution without voting."""

    @property
    def leanings(self) -> dict[HypothesisId, int]:
        """Hypothesis -> +1 or -1, even if the rule does not vote."""
        return dict.fromkeys(self.confirms, 1) | dict.fromkeys(self.rejects, -1)

    @property
    def votes(self) -> dict[HypothesisId, int]:
        """Hypothesis -> +1 or -1."""
        return {} if self.is_silent else self.leanings


@dataclass
class Judgement:
    """The result of the rules for one hypothesis."""

    votes: list[Vote] = field(default_factory=list)
    muted: list[Muted] = field(default_factory=list)
    cautions: list[Caution] = field(default_factory=list)

    @property
    def indicator(self) -> int:
        """Votes for minus votes against."""
        return sum(ballot.vote for ballot in self.votes)

    @property
    def state(self) -> State:
        """The state that the sign of the indicator means."""
        return "confirmed" if self.indicator > 0 else "rejected" if self.indicator < 0 else "unproven"


def rules_of(options: RuleOptions) -> tuple[Rule, ...]:
    """Return the rules under the chosen options."""
    h4: _Ids = ("H4",) if options.less_confirms_h4 else ()
    h8: _Ids = ("H8",) if options.a1_less_votes_h7_h8 else ()
    h7: _Ids = ("H7",) if options.a1_less_votes_h7_h8 else ()
    second_h8: _Ids = ("H8",) if options.a2_less_votes_h7_h8 else ()
    second_h7: _Ids = ("H7",) if options.a2_less_votes_h7_h8 else ()
    return (
        Rule("A1", ">", ("H1", "H4", "H7"), ("H2", "H3", "H8")),
        Rule("A1", "<", ("H2", *h4, *h8), ("H1", "H3", *h7)),
        Rule("A4", ">", ("H11",), ("H12",)),
        Rule("A4", "<", ("H12",), ("H11",)),
        Rule("A6", ">", ("H5",), ("H6",)),
        Rule("A6", "<", ("H6",), ("H5",)),
        *_unless_explained(Rule("A2", ">", ("H1", "H4", "H7"), ("H2", "H3", "H8"), "H6"), options),
        *_unless_explained(Rule("A2", "<", ("H2", *h4, *second_h8), ("H1", "H3", *second_h7), "H5"), options),
        *_unless_explained(Rule("A5", ">", ("H11",), ("H12",), "H6"), options),
        *_unless_explained(Rule("A5", "<", ("H12",), ("H11",), "H5"), options),
        Rule("A3", ">", ("H7", "H9"), ("H8", "H10"), "H1", ("confirmed",)),
        Rule("A3", ">", ("H9",), ("H10",), "H1", ("unproven",)),
        Rule("A3", ">", ("H12",), ("H11",), "H1", ("rejected",)),
        Rule("A3", "<", ("H8", "H10"), ("H7", "H9"), "H2", ("confirmed",)),
        Rule("A3", "<", ("H10",), ("H9",), "H2", ("unproven",)),
        _cautious(Rule("A3", "<", ("H10",), ("H9",), "H2", ("rejected",)), votes=options.caution != "flag"),
    )


def judged(outcomes: Outcomes, options: RuleOptions = RuleOptions()) -> dict[HypothesisId, Judgement]:  # noqa: B008
    """Apply the rules to six outcomes."""
    rules = rules_of(options)
    judgements = {hypothesis: Judgement() for hypothesis in HYPOTHESES}
    for step in _STEPS:
        before: dict[HypothesisId, State] = {
            hypothesis: judgement.state for hypothesis, judgement in judgements.items()
        }
        for analysis in step:
            related = [rule for rule in rules if (rule.analysis, rule.outcome) == (analysis, outcomes[rule.analysis])]
            for rule in related:
                if rule.depends_on is None or before[rule.depends_on] in rule.states:
                    _apply(rule, related, judgements, before)
    return judgements


def cells_of(judgements: Mapping[HypothesisId, Judgement], options: RuleOptions) -> tuple[tuple[Cell | None, ...], ...]:
    """Return what each analysis said about each hypothesis; None if it cannot affect it."""
    rules = rules_of(options)
    bears = {(hypothesis, rule.analysis) for rule in rules for hypothesis in rule.votes}
    conditions = {(rule.depends_on, rule.analysis) for rule in rules}

    def cell(hypothesis: HypothesisId, analysis: AnalysisId) -> Cell | None:
        for vote in judgements[hypothesis].votes:
            if vote.analysis == analysis:
                return "supports" if vote.vote > 0 else "rejects"
        if (hypothesis, analysis) in bears:
            return "unproven"
        return "conditional" if (hypothesis, analysis) in conditions else None

    return tuple(tuple(cell(hypothesis, analysis) for analysis in ANALYSES) for hypothesis in HYPOTHESES)


def _unless_explained(rule: Rule, options: RuleOptions) -> Iterator[Rule]:
    """Yield a rule that votes unless the hypothesis it depends on explains its outcome, and a caution otherwise."""
    yield rule._replace(states=("rejected", "unproven"))
    yield _cautious(rule._replace(states=("confirmed",)), votes=options.caution == "vote")


def _cautious(rule: Rule, *, votes: bool) -> Rule:
    return rule._replace(is_cautious=True, is_silent=not votes)


def _apply(
    rule: Rule, related: list[Rule], judgements: dict[HypothesisId, Judgement], before: Mapping[HypothesisId, State]
) -> None:
    """Add the votes of a rule, and note why related rules (same analysis and outcome) did not vote."""
    for hypothesis, vote in rule.votes.items():
        judgements[hypothesis].votes.append(Vote(analysis=rule.analysis, vote=1 if vote > 0 else -1))
    for hypothesis in dict.fromkeys(name for other in related for name in other.votes if name not in rule.votes):
        reason = _why_muted(rule, hypothesis, related, before)
        judgements[hypothesis].muted.append(Muted(analysis=rule.analysis, reason=reason))
    if rule.is_cautious:
        for hypothesis in rule.leanings:
            judgements[hypothesis].cautions.append(Caution(analysis=rule.analysis, sentence=_caution(rule)))


def _why_muted(rule: Rule, hypothesis: HypothesisId, related: list[Rule], before: Mapping[HypothesisId, State]) -> str:
    if rule.is_silent and hypothesis in rule.leanings:
        return _caution(rule)
    other = next(other for other in related if hypothesis in other.votes)
    verb = "confirm" if other.votes[hypothesis] > 0 else "reject"
    depends_on = other.depends_on or hypothesis
    return (
        f"{_outcome_text(rule)} would {verb} {hypothesis} only with {depends_on} {' or '.join(other.states)}, "
        f"and {depends_on} is {before[depends_on]}."
    )


def _caution(rule: Rule) -> str:
    if rule.analysis == "A3":
        return f"{_outcome_text(rule)} occurs although {rule.depends_on} is rejected; read it with caution."
    return f"{rule.depends_on} is confirmed and may by itself explain {_outcome_text(rule)}."


def _outcome_text(rule: Rule) -> str:
    left, right = ANALYSES[rule.analysis]
    return f"{rule.analysis} ({left} {rule.outcome} {right})"
