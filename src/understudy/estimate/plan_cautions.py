"""Cautions: plans that can be run, but whose words or analyses lead to claims that the data do not support."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from understudy.estimate.choices import analyses_in, analysis_from_ref
from understudy.estimate.variables import Variables
from understudy.estimate.verdicts import REVERSED, claimed_side
from understudy.roles import Analysis, HasCautions, PlannedData, SamplesItems
from understudy.schema import AnalysisPlan, Hypothesis, Side
from understudy.schema.plan import shared_outcomes

# Words of claims: which direction they state, and whether the plan says the same.

_UP = r"more|higher|greater|larger|longer|increases?|rises?|raises?"
_DOWN = r"less|lower|fewer|smaller|shorter|decreases?|falls?|lowers?|reduces?"
_GOOD = r"better|improves?|helps?|benefits?"
_BAD = r"worse|harms?|hurts?"
_SLOW, _FAST = r"slower", r"faster|quicker"
_DIRECTED = re.compile(
    rf"\b(?:(?P<up>{_UP})|(?P<down>{_DOWN})|(?P<good>{_GOOD})|(?P<bad>{_BAD})"
    rf"|(?P<slow>{_SLOW})|(?P<fast>{_FAST}))\b",
    re.IGNORECASE,
)
_UNCLEAR = re.compile(
    r"\b(not|no|never|neither|nor|errors?|mistakes?|wrong(ly)?|miss(es)?|differs?|depends?)\b", re.IGNORECASE
)
"""Words that turn a sentence around, or that make more of something less of the outcome."""
_REFERENCE = r"(?:than|than with|than in|than for|compared with|compared to|relative to)"
_SHORTEST = 3
"""Shorter names of levels, such as "a", are words of their own."""


class _Worded(NamedTuple):
    word: str
    side: Side


def word_cautions(plan: AnalysisPlan, variables: Variables) -> Iterator[str]:
    """Yield one sentence for each claim whose words state a direction that the plan reverses or leaves open."""
    for hypothesis in plan.hypotheses:
        worded = _worded(hypothesis, plan, variables)
        if worded is None:
            continue
        about = f"Hypothesis {hypothesis.hypothesis_id!r} says {worded.word!r} in its claim, but"
        side, pair = claimed_side(hypothesis), _pair(hypothesis, variables)
        if side is None:
            # A claim without a side is supported by an effect either way.
            advice = (
                f'Add expects = "{worded.side}", or reword the claim.'
                if pair is not None or hypothesis.factor is None
                else "Name two levels in `contrast`, with `expects`, or reword the claim."
            )
            yield f"{about} the plan states no direction, so an effect the other way would count as support. {advice}"
        elif side != worded.side:
            minus = f" ({pair[0]} minus {pair[1]})" if pair else ""
            yield f"{about} the plan claims {side!r}{minus}. Correct the words or the direction."


def _pair(hypothesis: Hypothesis, variables: Variables) -> tuple[str, str] | None:
    """Return the two compared levels, the first minus the second."""
    factor = variables.factors.get(hypothesis.factor or "")
    if hypothesis.contrast is not None or factor is None:
        return hypothesis.contrast
    return (factor.levels[0], factor.levels[1]) if len(factor.levels) == 2 else None


def _worded(hypothesis: Hypothesis, plan: AnalysisPlan, variables: Variables) -> _Worded | None:
    """Return the direction that a claim states in words; None if it states none, or could be read in two ways."""
    is_interaction = any(ref.params.get("tests") == "interaction" for ref in analyses_in(hypothesis.analysis))
    if hypothesis.direction == "equivalent" or hypothesis.crossed_with is not None or is_interaction:
        return None
    words = [*_DIRECTED.finditer(hypothesis.claim)]
    if not words or _UNCLEAR.search(hypothesis.claim):
        return None
    sides = {_side(word, hypothesis, plan, variables) for word in words}
    side = sides.pop()
    if sides or side is None:
        return None
    pair = _pair(hypothesis, variables)
    if pair is not None:
        subject = _subject(hypothesis.claim, pair)
        # Without the name of a level, "with the explanation" may be either of them, unless the plan is silent anyway.
        if subject is None and claimed_side(hypothesis) is not None:
            return None
        side = REVERSED[side] if subject == pair[1] else side
    return _Worded(words[0].group(0), side)


def _side(word: re.Match[str], hypothesis: Hypothesis, plan: AnalysisPlan, variables: Variables) -> Side | None:
    if word["up"] or word["down"]:
        return "greater" if word["up"] else "less"
    measured = next((outcome.measure for outcome in plan.outcomes if outcome.name == hypothesis.outcome), "")
    known = variables.measures.get(measured)
    if word["slow"] or word["fast"]:
        # Of other outcomes, such as accuracy, quick people say nothing.
        return None if known is None or known.scale != "time" else "greater" if word["slow"] else "less"
    better = "neither" if known is None else known.better
    if better == "neither":
        return None
    return "greater" if (better == "higher") == bool(word["good"]) else "less"


def _subject(claim: str, pair: tuple[str, str]) -> str | None:
    """Return the level that a sentence says something about; the other one is what it is compared with."""
    found = {level: _mention(claim, level) for level in pair}
    subjects = {level: at for level, at in found.items() if at is not None and not at.is_reference}
    if subjects:
        return min(subjects, key=lambda level: subjects[level].start)
    references = [level for level, at in found.items() if at is not None]
    if len(references) != 1:
        return None
    return pair[1] if references[0] == pair[0] else pair[0]


class _Mention(NamedTuple):
    start: int
    is_reference: bool


def _mention(claim: str, level: str) -> _Mention | None:
    """Return where a claim names a level."""
    name = re.escape(level).replace("_", "[ _]")
    before = r"(?:with|in|at|for|under|by)\s+" if len(level) < _SHORTEST else ""
    plain = re.search(rf"\b{before}{name}\b", claim, re.IGNORECASE)
    compared = re.search(rf"\b{_REFERENCE}\s+(?:the\s+)?{name}\b", claim, re.IGNORECASE)
    if compared is not None:
        return _Mention(compared.start(), is_reference=True)
    return None if plain is None else _Mention(plain.start(), is_reference=False)


_GENERALIZE = (
    "To speak of other items, keep single answers and choose a model with random effects of items: linear_mixed, "
    'logistic_mixed or ordinal_mixed with random = "maximal".'
)


@dataclass
class ItemFacts:
    """What belongs to the items of an outcome, because it never varies between people's answers to one item."""

    n_items: int = 0
    fixed: frozenset[str] = frozenset()
    """Factors, and "value" for the outcome itself."""
    column: str = ""
    """The column that tells items apart, if the description of the table does not name it."""


def plan_cautions(plan: AnalysisPlan, variables: Variables) -> list[str]:
    """Return one sentence for each reason to change a sound plan."""
    by_analysis = (
        f"Hypothesis {hypothesis.hypothesis_id!r} uses {ref.name!r}. {sentence}"
        for hypothesis in plan.hypotheses
        for ref in analyses_in(hypothesis.analysis)
        for sentence in _of_analysis(hypothesis, analysis_from_ref(ref, hypothesis, plan), plan, variables)
    )
    return list(dict.fromkeys((*word_cautions(plan, variables), *shared_outcomes(plan), *by_analysis)))


def _of_analysis(hypothesis: Hypothesis, analysis: Analysis, plan: AnalysisPlan, variables: Variables) -> Iterator[str]:
    if isinstance(analysis, HasCautions):
        yield from analysis.cautions(hypothesis, _planned(hypothesis, plan, variables))
    caution = item_caution(hypothesis, analysis, plan, variables)
    if caution:
        yield caution


def item_caution(
    hypothesis: Hypothesis,
    analysis: Analysis,
    plan: AnalysisPlan,
    variables: Variables,
    facts: Mapping[str, ItemFacts] | None = None,
) -> str:
    """Return that an analysis takes the items as all there are although they decide what is compared; empty if not.

    A factor of scope `item` is one by the plan. `facts` are those of the data, by outcome: factors and second outcomes
    that never vary within an item, whatever the plan says of them.
    """
    outcomes = {outcome.name: outcome for outcome in plan.outcomes}
    outcome, known = outcomes[hypothesis.outcome], facts or {}
    if isinstance(analysis, SamplesItems) and analysis.samples_items and variables.unit_of(outcome) == "trial":
        return ""
    of_outcome = known.get(outcome.name, ItemFacts())
    factors = [hypothesis.factor, hypothesis.crossed_with, *(name for name, _ in analysis.fit.reads)]
    factors = [name for name in dict.fromkeys(factors) if name in variables.factors]
    named = [
        repr(name) for name in factors if name and (variables.factors[name].scope == "item" or name in of_outcome.fixed)
    ]
    others = dict.fromkeys(name for name in (hypothesis.other, *analysis.fit.covariates) if name in outcomes)
    named += [repr(name) for name in others if name is not None and "value" in known.get(name, ItemFacts()).fixed]
    if "value" in of_outcome.fixed:
        named.append(repr(outcome.name))
    if not named:
        return ""
    counted = f"the {of_outcome.n_items} items" if of_outcome.n_items else "the items"
    by = f" (column {of_outcome.column!r})" if of_outcome.column else ""
    differ = "differs" if len(named) == 1 else "differ"
    return (
        f"{' and '.join(named)} {differ} between items{by} and not within them, but the analysis takes {counted} as all there "
        f"are. The verdict holds for these items only: how items happen to differ is enough to produce it. {_GENERALIZE}"
    )


def _planned(hypothesis: Hypothesis, plan: AnalysisPlan, variables: Variables) -> PlannedData:
    outcome = next(outcome for outcome in plan.outcomes if outcome.name == hypothesis.outcome)
    return PlannedData(
        scale=variables.scale_of(outcome),
        unit=variables.unit_of(outcome),
        scopes={name: factor.scope for name, factor in variables.factors.items()},
        has_items=variables.has_items,
    )
