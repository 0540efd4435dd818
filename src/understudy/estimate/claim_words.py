"""Words of claims: which direction they state, and whether the plan says the same."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from understudy.estimate.choices import analyses_in
from understudy.estimate.variables import Variables
from understudy.estimate.verdicts import REVERSED, claimed_side
from understudy.schema import AnalysisPlan, Hypothesis, Side

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
