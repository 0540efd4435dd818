"""Rule search: find the widest rule under which a model rarely changes its answer, by racing candidates.

Anchors of Ribeiro, Singh and Guestrin (2018). Candidates of one length race in rounds, all contenders of a round in one
batch (KL-racing of Kaufmann and Kalyanakrishnan, 2013), where the library samples two at a time (KL-LUCB).
"""

from collections.abc import Sequence
from math import log
from typing import Literal, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from understudy.explainers.kernels.kl_bounds import lower_bounds, race_level, upper_bounds

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
Rule = tuple[int, ...]
"""Numbers of the conditions, in the order in which they were added."""


class Sampler(Protocol):
    """Draws perturbed inputs under rules, and counts how often the model keeps its answer."""

    @property
    def n_conditions(self) -> int:
        """How many conditions a rule can choose from."""

    @property
    def max_draws(self) -> int:
        """The most inputs that one rule may be tried on."""

    @property
    def is_finite(self) -> bool:
        """Whether those are all inputs there are, so that a precision is then known and not estimated."""

    def start(self, rules: Flags) -> "Tally":
        """Return the tally of rules before anything is drawn for them."""

    def draw(self, rules: Flags, n_before: Ints, n_each: Ints) -> Floats:
        """Draw further inputs under each rule, and return how many kept the answer."""

    def coverage(self, rules: Flags) -> Floats:
        """Return the share of inputs to which each rule applies."""


class Tally(NamedTuple):
    """How many inputs were drawn under each rule, and how many kept the answer."""

    n_drawn: Ints
    hits: Floats


class Search(NamedTuple):
    """Settings of the search."""

    threshold: float
    delta: float
    race_tolerance: float
    stop_tolerance: float
    n_batch: int
    max_race: int
    beam_width: int
    certifies: Literal["threshold", "tolerance"]
    stops_at_first: bool
    allows_empty: bool
    max_conditions: int | None


class FoundRule(NamedTuple):
    """A rule, the share of inputs under it that kept the answer, the share it applies to, and whether it was certified."""

    rule: Rule
    precision: float
    coverage: float
    is_certified: bool


class _Tried(NamedTuple):
    rule: Rule
    precision: float
    lower: float
    coverage: float
    is_accepted: bool


def find_rule(sampler: Sampler, search: Search) -> FoundRule:
    """Search for the certified rule with the widest coverage; without one, return the rule with the best lower bound."""
    if search.allows_empty:
        empty = _certified(sampler, search, [()], sampler.start(_flags(sampler, [()])))[0]
        if empty.is_accepted:
            return FoundRule((), empty.precision, 1.0, is_certified=True)
    beam: list[Rule] = [()]
    tried: list[_Tried] = []
    best: _Tried | None = None
    for _ in range(min(sampler.n_conditions, search.max_conditions or sampler.n_conditions)):
        beam, tally = _race(sampler, search, _longer(sampler, beam, best))
        if not beam:
            break
        fresh = _certified(sampler, search, beam, tally)
        tried += fresh
        accepted = [candidate for candidate in [best, *fresh] if candidate is not None and candidate.is_accepted]
        best = max(
            accepted,
            key=lambda candidate: (candidate.coverage, -len(candidate.rule), candidate.precision),
            default=None,
        )
        if best is not None and search.stops_at_first:
            break
    if best is None and not tried:
        best = _certified(sampler, search, [()], sampler.start(_flags(sampler, [()])))[0]
    chosen = best or max(tried, key=lambda candidate: candidate.lower)
    return FoundRule(chosen.rule, chosen.precision, chosen.coverage, chosen.is_accepted)


def _longer(sampler: Sampler, beam: Sequence[Rule], best: _Tried | None) -> list[Rule]:
    """Add one condition to each rule of the beam, leaving out what cannot be wider than the best rule so far."""
    by_conditions: dict[frozenset[int], Rule] = {}
    for rule in beam:
        for condition in range(sampler.n_conditions):
            if condition not in rule:
                by_conditions.setdefault(frozenset((*rule, condition)), (*rule, condition))
    rules = list(by_conditions.values())
    if best is None or not rules:
        return rules
    coverage = sampler.coverage(_flags(sampler, rules))
    return [rule for rule, wide in zip(rules, coverage, strict=True) if wide > best.coverage]


def _race(sampler: Sampler, search: Search, rules: list[Rule]) -> tuple[list[Rule], Tally]:
    """Return the rules that keep the answer most often, as many as the beam is wide, and their tally."""
    if len(rules) <= search.beam_width:
        return rules, sampler.start(_flags(sampler, rules))
    flags, most = _flags(sampler, rules), min(search.max_race, sampler.max_draws)
    n_drawn, hits = sampler.start(flags)
    n_batch, n_rounds = search.n_batch, 0
    contends = n_drawn < n_batch
    while True:
        n_rounds += 1
        # Rules that no longer contend draw nothing: whether they stay in or out is decided.
        n_each = np.where(contends, np.minimum(n_batch, most - n_drawn), 0).clip(min=0)
        if n_rounds > 1 and not n_each.any():
            break
        n_drawn, hits = _drawn(sampler, flags, Tally(n_drawn, hits), n_each)
        order = np.argsort(-hits / n_drawn, kind="stable")
        first, rest = order[: search.beam_width], order[search.beam_width :]
        level = race_level(len(rules), n_rounds, search.delta)
        lower = lower_bounds(hits[first], n_drawn[first], level)
        upper = upper_bounds(hits[rest], n_drawn[rest], level)
        # A rule contends while its bound still crosses the best bound on the other side of the cut.
        contends = np.zeros(len(rules), dtype=np.bool_)
        contends[first[lower < upper.max() - search.race_tolerance]] = True
        contends[rest[upper > lower.min() + search.race_tolerance]] = True
        if not contends.any():
            break
        n_batch *= 2
    return [rules[k] for k in first], Tally(n_drawn[first], hits[first])


def _certified(sampler: Sampler, search: Search, rules: list[Rule], tally: Tally) -> list[_Tried]:
    """Draw under each rule until its precision is known to be on one side of the threshold, or draws are used up."""
    flags = _flags(sampler, rules)
    n_drawn, hits = tally
    level = log(1 / search.delta)
    n_batch = search.n_batch
    is_open = np.ones(len(rules), dtype=np.bool_)
    while True:
        n_each = np.where(is_open, np.minimum(n_batch, sampler.max_draws - n_drawn), 0).clip(min=0)
        if not n_each.any():
            break
        n_drawn, hits = _drawn(sampler, flags, Tally(n_drawn, hits), n_each)
        lower, upper = lower_bounds(hits, n_drawn, level), upper_bounds(hits, n_drawn, level)
        is_open = _is_open(hits / n_drawn, lower, upper, search)
        n_batch *= 2
    share = hits / np.maximum(n_drawn, 1)
    lower = lower_bounds(hits, n_drawn, level)
    accepted = lower >= search.threshold
    if sampler.is_finite:
        accepted |= (n_drawn >= sampler.max_draws) & (share >= search.threshold)
    if search.certifies == "tolerance":
        accepted = (share >= search.threshold) & (lower > search.threshold - search.stop_tolerance)
    parts = zip(rules, share, lower, sampler.coverage(flags), accepted, strict=True)
    return [_Tried(rule, float(p), float(low), float(wide), bool(yes)) for rule, p, low, wide, yes in parts]


def _is_open(share: Floats, lower: Floats, upper: Floats, search: Search) -> Flags:
    if search.certifies == "threshold":
        return np.asarray((lower < search.threshold) & (upper >= search.threshold))
    is_good = share >= search.threshold
    return np.asarray(
        (is_good & (lower < search.threshold - search.stop_tolerance))
        | (~is_good & (upper >= search.threshold + search.stop_tolerance))
    )


def _drawn(sampler: Sampler, flags: Flags, tally: Tally, n_each: Ints) -> Tally:
    drawn = np.flatnonzero(n_each)
    hits = tally.hits.copy()
    if len(drawn):
        hits[drawn] += sampler.draw(flags[drawn], tally.n_drawn[drawn], n_each[drawn])
    return Tally(tally.n_drawn + n_each, hits)


def _flags(sampler: Sampler, rules: Sequence[Rule]) -> Flags:
    flags = np.zeros((len(rules), sampler.n_conditions), dtype=np.bool_)
    for number, rule in enumerate(rules):
        flags[number, list(rule)] = True
    return flags
