"""The twelve hypotheses, their rules, and what each verdict says in plain language."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias, get_args

from understudy.schema import RuleOptions, Verdicts
from understudy.schema.probe import (
    AnalysisId,
    Caution,
    Cell,
    Comparison,
    Flip,
    HypothesisId,
    Muted,
    SetId,
    Sign,
    State,
    Vote,
)

SETS: tuple[SetId, ...] = get_args(SetId)
ANALYSES: dict[AnalysisId, tuple[SetId, SetId]] = {
    "A1": ("PP", "MD"),
    "A2": ("PP", "MP"),
    "A3": ("PP", "PD"),
    "A4": ("PD", "MD"),
    "A5": ("PD", "MP"),
    "A6": ("MP", "MD"),
}
"""Left and right result set of each comparison."""
SET_NAMES: dict[SetId, str] = {"PP": "M+ on D+", "PD": "M+ on D", "MP": "M on D+", "MD": "M on D"}
OPPOSED: tuple[tuple[HypothesisId, HypothesisId], ...] = (
    ("H1", "H2"), ("H5", "H6"), ("H7", "H8"), ("H9", "H10"), ("H11", "H12"),
)  # fmt: skip
"""Pairs that cannot both be true."""


class Wording(NamedTuple):
    """A hypothesis in words: a statement, and a sentence for each state."""

    statement: str
    confirmed: str
    unproven: str
    rejected: str


WORDINGS: Mapping[HypothesisId, Wording] = {
    "H1": Wording(
        "The concept is useful to M+, and would be to M",
        "Information about {concept} is useful to the model.",
        "It is open whether information about {concept} is useful to the model.",
        "Information about {concept} is not useful to the model.",
    ),
    "H2": Wording(
        "The concept is harmful to M+, and would be to M",
        "Information about {concept} is harmful to the model.",
        "It is open whether information about {concept} is harmful to the model.",
        "Information about {concept} is not harmful to the model.",
    ),
    "H3": Wording(
        "M has already learned the concept adequately",
        "The model without help has already learned {concept} well enough.",
        "It is open whether the model without help has already learned {concept}.",
        "The model without help has not learned {concept} well enough: help changes what it does.",
    ),
    "H4": Wording(
        "M+ has learned the concept adequately",
        "The model trained with help has taken {concept} in.",
        "It is open whether the model trained with help has taken {concept} in.",
        "The model trained with help has not taken {concept} in.",
    ),
    "H5": Wording(
        "The extra information in D+ has a positive effect on M",
        "Showing {concept} helps even a model that was never trained with it.",
        "It is open whether showing {concept} helps a model that was never trained with it.",
        "Showing {concept} does not help a model that was never trained with it.",
    ),
    "H6": Wording(
        "The extra information in D+ has a negative effect on M",
        "Showing {concept} disturbs a model that was never trained with it.",
        "It is open whether showing {concept} disturbs a model that was never trained with it.",
        "Showing {concept} does not disturb a model that was never trained with it.",
    ),
    "H7": Wording(
        "The extra information in D+ has a positive effect on M+",
        "Showing {concept} helps the model that was trained with it.",
        "It is open whether showing {concept} helps the model that was trained with it.",
        "Showing {concept} does not help the model that was trained with it.",
    ),
    "H8": Wording(
        "The extra information in D+ has a negative effect on M+",
        "Showing {concept} harms the model that was trained with it.",
        "It is open whether showing {concept} harms the model that was trained with it.",
        "Showing {concept} does not harm the model that was trained with it.",
    ),
    "H9": Wording(
        "Learning with the extra training data affects the extra part of M+ positively",
        "Training with {concept} taught the model to make good use of the extra information.",
        "It is open whether training with {concept} taught the model to make good use of the extra information.",
        "Training with {concept} did not teach the model to make good use of the extra information.",
    ),
    "H10": Wording(
        "Learning with the extra training data affects the extra part of M+ negatively",
        "Training with {concept} taught the model to be misled by the extra information.",
        "It is open whether training with {concept} taught the model to be misled by the extra information.",
        "Training with {concept} did not teach the model to be misled by the extra information.",
    ),
    "H11": Wording(
        "Learning with the extra training data affects the M part of M+ positively",
        "Trained with {concept}, the model does better even where the information is missing.",
        "It is open whether the model trained with {concept} does better where the information is missing.",
        "Trained with {concept}, the model does not do better where the information is missing.",
    ),
    "H12": Wording(
        "Learning with the extra training data affects the M part of M+ negatively",
        "Trained with {concept}, the model does worse where the information is missing: it leans on it.",
        "It is open whether the model trained with {concept} does worse where the information is missing.",
        "Trained with {concept}, the model does not do worse where the information is missing.",
    ),
}
HYPOTHESES: tuple[HypothesisId, ...] = tuple(WORDINGS)


def claims_of(hypothesis: HypothesisId, concept: str) -> dict[State, str]:
    """Return what each state of a hypothesis says about a concept."""
    words = WORDINGS[hypothesis]
    return {
        "confirmed": words.confirmed.format(concept=concept),
        "unproven": words.unproven.format(concept=concept),
        "rejected": words.rejected.format(concept=concept),
    }


# The rules of a concept test, which turn six outcomes into votes and cautions for twelve hypotheses.

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


# The thresholds at which a verdict changes; they are exact because outcomes change only at p-values.


def flips_of(comparisons: Sequence[Comparison], options: RuleOptions) -> tuple[Flip, ...]:
    """Return every change of a verdict as the threshold rises from 0 to 1; below the first, all are unproven.

    An entry holds for thresholds above its `alpha`, up to and including the next entry of the same hypothesis.
    """
    state: dict[HypothesisId, State] = dict.fromkeys(HYPOTHESES, "unproven")
    flips = []
    for level in sorted(
        {
            comparison.p_adjusted
            for comparison in comparisons
            if comparison.difference != 0 and comparison.p_adjusted < 1
        }
    ):
        # Significance is p < alpha, so an outcome changes just above its own p-value.
        judgements = judged({comparison.id: _sign_above(comparison, level) for comparison in comparisons}, options)
        for hypothesis in HYPOTHESES:
            if judgements[hypothesis].state != state[hypothesis]:
                state[hypothesis] = judgements[hypothesis].state
                flips.append(Flip(hypothesis=hypothesis, alpha=level, to=state[hypothesis]))
    return tuple(flips)


def nearest_flips(verdicts: Verdicts, hypothesis: HypothesisId) -> tuple[Flip | None, Flip | None]:
    """Return the nearest changes of a verdict: the last flip below the threshold, and the next one above."""
    flips = [flip for flip in verdicts.flips if flip.hypothesis == hypothesis]
    below = [flip for flip in flips if flip.alpha < verdicts.alpha]
    above = [flip for flip in flips if flip.alpha >= verdicts.alpha]
    return (below[-1] if below else None, above[0] if above else None)


def _sign_above(comparison: Comparison, level: float) -> Sign:
    if comparison.difference == 0 or comparison.p_adjusted > level:
        return "~"
    return ">" if comparison.difference > 0 else "<"
