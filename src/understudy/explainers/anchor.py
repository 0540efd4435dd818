"""Anchor: a rule under which the model nearly always gives the same answer, whatever else changes."""

from collections.abc import Sequence
from math import log
from typing import ClassVar, Literal, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
from pydantic import Field

from understudy.explainers.inputs import (
    Background,
    answers_of_texts,
    background_of,
    lengths_of,
    require_columns,
    require_predicted,
    rounded,
    tokens_of,
    values_of,
)
from understudy.registry import register
from understudy.roles import Explained, Floats, Ints, Model, Rng, Variables, Vocabulary
from understudy.schema import DatasetRef, Record, RuleCondition, RuleExplanation
from understudy.sources.edits import Choices, choices_for, edited_texts
from understudy.sources.words import words_for

# Bounds on a share by the Kullback-Leibler divergence of coins, for many shares at once.

_N_HALVINGS = 24
_EDGE = 1e-12
_FACTOR, _POWER = 405.5, 1.1
"""k and alpha of Kaufmann and Kalyanakrishnan (2013), with which the bounds of all rounds hold together."""


def divergence(share: Floats, other: Floats) -> Floats:
    """Return the divergence of a coin with one share of heads from a coin with another."""
    p, q = np.clip(share, _EDGE, 1 - _EDGE), np.clip(other, _EDGE, 1 - _EDGE)
    return np.asarray(p * np.log(p / q) + (1 - p) * np.log((1 - p) / (1 - q)), dtype=np.float64)


def lower_bounds(hits: Floats, n_drawn: Ints, level: float) -> Floats:
    """Return the smallest share that lies within `level` over n of each observed one."""
    return _edge_of(hits, n_drawn, level, np.zeros(len(hits)))


def upper_bounds(hits: Floats, n_drawn: Ints, level: float) -> Floats:
    """Return the largest share that lies within `level` over n of each observed one."""
    return _edge_of(hits, n_drawn, level, np.ones(len(hits)))


def race_level(n_arms: int, n_rounds: int, delta: float) -> float:
    """Return the level at which the bounds of all arms hold in all rounds with probability 1 - delta."""
    rate = log(_FACTOR * n_arms * n_rounds**_POWER / delta)
    return rate + log(rate)


def _edge_of(hits: Floats, n_drawn: Ints, level: float, far: Floats) -> Floats:
    n = np.maximum(n_drawn, 1e-9)
    share = np.where(n_drawn > 0, hits / n, 0.5)
    inside, outside = share.copy(), far
    # The divergence is a sum of one part that stays and one that changes with the other share.
    stays = divergence(share, np.full(len(share), 0.5)) - log(2) - level / n
    # Bisection, because the bound has no closed form; 24 halvings give seven digits.
    for _ in range(_N_HALVINGS):
        middle = (inside + outside) / 2
        other = np.minimum(np.maximum(middle, _EDGE), 1 - _EDGE)
        is_inside = stays <= share * np.log(other) + (1 - share) * np.log1p(-other)
        inside, outside = np.where(is_inside, middle, inside), np.where(is_inside, outside, middle)
    return inside


# Rule search: find the widest rule under which a model rarely changes its answer, by racing candidates.
#
# Anchors of Ribeiro, Singh and Guestrin (2018). Candidates of one length race in rounds, all contenders of a round in one
# batch (KL-racing of Kaufmann and Kalyanakrishnan, 2013), where the library samples two at a time (KL-LUCB).

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


# Rule samplers: perturbed rows and texts that keep what a rule names.


class RowSampler:
    """Keeps the values a rule names; the rest of each row comes whole from the background.

    All rules of a search see the background in the same order, so chance does not separate them.
    """

    def __init__(self, model: Model, row: Floats, background: Floats, rng: Rng) -> None:
        self._model, self._row = model, row
        self._rows = background[rng.permutation(len(background))]
        self._holds = background == row
        self._label = int(np.argmax(model.predict(row[None])[0]))

    @property
    def n_conditions(self) -> int:
        """One for each variable."""
        return len(self._row)

    @property
    def max_draws(self) -> int:
        """Each row of the background once."""
        return len(self._rows)

    @property
    def is_finite(self) -> bool:
        """The background is all there is to draw from."""
        return True

    def start(self, rules: Flags) -> Tally:
        """Start from zero: rows that meet a condition by chance differ from rows that are made to."""
        return Tally(np.zeros(len(rules), dtype=np.int64), np.zeros(len(rules)))

    def draw(self, rules: Flags, n_before: Ints, n_each: Ints) -> Floats:
        """Ask the model about the next rows under all the rules at once."""
        rule_of = np.repeat(np.arange(len(rules)), n_each)
        firsts = np.repeat(np.cumsum(n_each) - n_each, n_each)
        rows = self._rows[n_before[rule_of] + np.arange(len(rule_of)) - firsts]
        np.copyto(rows, self._row, where=rules[rule_of])
        agrees = np.argmax(self._model.predict(rows), axis=1) == self._label
        return np.asarray(np.bincount(rule_of, weights=agrees, minlength=len(rules)), dtype=np.float64)

    def coverage(self, rules: Flags) -> Floats:
        """Return the exact share of the background that each rule applies to."""
        n_missed = (~self._holds).astype(np.float64) @ rules.T.astype(np.float64)
        return np.asarray((n_missed == 0).mean(axis=0), dtype=np.float64)


class TextDraws(NamedTuple):
    """How texts are drawn for rules."""

    change: float
    """The chance of each free word to be replaced."""
    n_pool: int
    """Texts drawn without a rule, which every rule counts first."""
    max_draws: int


class TextSampler:
    """Keeps the words a rule names; each other editable word is replaced by a similar one with a fixed chance."""

    def __init__(self, model: Model, row: Floats, choices: Choices, rng: Rng, *, draws: TextDraws) -> None:
        self._model, self._row, self._choices, self._rng, self._draws = model, row, choices, rng, draws
        self._label = int(np.argmax(model.predict(row[None])[0]))
        self._pool_kept, self._pool_hits = self._ask(np.zeros((draws.n_pool, self.n_conditions), dtype=np.bool_))

    @property
    def n_conditions(self) -> int:
        """One for each word that can be edited."""
        return len(self._choices.places)

    @property
    def max_draws(self) -> int:
        """The limit that the explainer sets."""
        return self._draws.max_draws

    @property
    def is_finite(self) -> bool:
        """There are always further texts."""
        return False

    def start(self, rules: Flags) -> Tally:
        """Count the free texts that kept a rule's words by chance; positions change independently, so these are valid draws."""
        broken = (~self._pool_kept).astype(np.float64) @ rules.T.astype(np.float64)
        applies = broken == 0
        return Tally(applies.sum(axis=0), np.asarray(self._pool_hits @ applies, dtype=np.float64))

    def draw(self, rules: Flags, n_before: Ints, n_each: Ints) -> Floats:
        """Ask the model about new texts under all the rules at once."""
        rule_of = np.repeat(np.arange(len(rules)), n_each)
        _, hits = self._ask(rules[rule_of])
        return np.asarray(np.bincount(rule_of, weights=hits, minlength=len(rules)), dtype=np.float64)

    def coverage(self, rules: Flags) -> Floats:
        """Return the chance that all the words of a rule stay."""
        return np.asarray((1 - self._draws.change) ** rules.sum(axis=1), dtype=np.float64)

    def _ask(self, fixed: Flags) -> tuple[Flags, Floats]:
        changes = (self._rng.random(fixed.shape) < self._draws.change) & ~fixed
        texts = edited_texts(self._row, self._choices, changes, self._rng.random(changes.sum()))
        hits = np.argmax(answers_of_texts(self._model.predict, texts), axis=1) == self._label
        return ~changes, hits.astype(np.float64)


class _Published(NamedTuple):
    """Settings of Hase and Bansal (2020), which differ for tables and texts."""

    delta: float
    race_tolerance: float
    n_batch: int
    beam_width: int
    allows_empty: bool


class _Input(NamedTuple):
    """One input, and what it is compared with."""

    model: Model
    row: Floats
    background: Background


_TABLE = _Published(0.05, 0.1, 50, 10, allows_empty=True)
_TEXT = _Published(0.1, 0.15, 100, 4, allows_empty=False)
_POOL_BATCHES = 10
"""Free texts are drawn once for all rules; so many batches let most short rules start with hits."""


@register("explainers", "anchor")
class Anchor(Record):
    """Explains by the widest rule of kept values or words with enough precision. Ribeiro, Singh and Guestrin (2018).

    Settings left open take the values of Hase and Bansal (2020), which differ for tables and texts. Their program asked
    for a beam of 10 or 4 and got 1 (`beam_width = 1`), and took a rule whose observed precision reached the threshold
    with a lower bound within the stop tolerance of it (`certifies = "tolerance"`). It also looked beyond the first
    length with a rule in tables, which a beam of 1 cannot use; the shortest rule is the default here.
    """

    kinds: ClassVar[frozenset[str]] = frozenset({"rule"})
    is_costly: ClassVar[bool] = True
    background: DatasetRef
    """The dataset whose rows fill in what a rule leaves open, and whose legend reads the inputs."""
    n_background: int = Field(default=3000, ge=1, le=1_000_000)
    background_seed: int = Field(default=0, ge=0, le=2**64 - 1)
    threshold: float = Field(default=0.95, gt=0, lt=1)
    certifies: Literal["threshold", "tolerance"] = "threshold"
    """threshold: the lower bound of a rule's precision must reach it, or the precision itself once every row of the
    background was tried; tolerance: as the published program did."""
    delta: float | None = Field(default=None, gt=0, lt=1)
    """The chance that the bound of any one rule fails: 0.05 for tables, 0.1 for texts."""
    race_tolerance: float | None = Field(default=None, gt=0, lt=1)
    """By how much a rule that is left out may be better: 0.1 for tables, 0.15 for texts."""
    stop_tolerance: float = Field(default=0.05, ge=0, lt=1)
    n_batch: int | None = Field(default=None, ge=1, le=1_000_000)
    """Inputs drawn at first under each rule, doubled each round: 50 for tables, 100 for texts."""
    max_race: int = Field(default=200, ge=1, le=1_000_000)
    """Inputs after which rules that race count as equally good."""
    beam_width: int | None = Field(default=None, ge=1, le=1000)
    """Rules of each length that are made longer: 10 for tables, 4 for texts."""
    stops_at_first: bool = True
    """Whether to look no further than the first length with a certified rule."""
    allows_empty: bool | None = None
    """Whether to say that the answer is nearly always the same: yes for tables, no for texts."""
    max_conditions: int | None = Field(default=None, ge=1, le=10_000)
    change_chance: float = Field(default=0.5, gt=0, lt=1)
    """Texts only: the chance of each free word to be replaced."""
    n_choices: int = Field(default=100, ge=1, le=100_000)
    temperature: float = Field(default=0.4, gt=0)
    max_draws: int = Field(default=10_000, ge=1, le=1_000_000)
    """Texts only: how many one rule may be tried on; rows stop at the size of the background."""

    def explain(self, model: Model, inputs: Floats, targets: Ints | None, rng: Rng) -> Explained:
        """Return one rule per input, always for the answer that the model gave."""
        background = background_of(self.background, self.n_background, self.background_seed)
        require_columns(model, inputs, background.legend)
        require_predicted(model, inputs, targets, method="Anchor")
        return Explained([self._rule(_Input(model, row, background), rng) for row in inputs])

    def _rule(self, case: _Input, rng: Rng) -> RuleExplanation:
        legend = case.background.legend
        return self._of_text(case, legend, rng) if isinstance(legend, Vocabulary) else self._of_row(case, legend, rng)

    def _of_row(self, case: _Input, legend: Variables, rng: Rng) -> RuleExplanation:
        model, row, background = case
        sampler = RowSampler(model, row, background.inputs, rng)
        result = find_rule(sampler, self._search(_TABLE))
        values = values_of(row, legend)
        return RuleExplanation(
            label=_answer(model, row),
            conditions=tuple(RuleCondition(feature=legend.features[j], value=values[j]) for j in sorted(result.rule)),
            precision=rounded(result.precision),
            coverage=rounded(result.coverage),
        )

    def _of_text(self, case: _Input, legend: Vocabulary, rng: Rng) -> RuleExplanation:
        model, row, background = case
        search = self._search(_TEXT)
        # Padding is cut off, so that no rule names a position without a word.
        ids = row[: int(lengths_of(row[None])[0])]
        choices = choices_for(
            ids.astype(np.int64),
            background.words or words_for(model, legend),
            n_choices=self.n_choices,
            temperature=self.temperature,
        )
        draws = TextDraws(self.change_chance, n_pool=_POOL_BATCHES * search.n_batch, max_draws=self.max_draws)
        sampler = TextSampler(model, ids, choices, rng, draws=draws)
        result = find_rule(sampler, search)
        tokens = tokens_of(ids, legend)
        positions = [int(choices.places[k]) for k in result.rule]
        return RuleExplanation(
            label=_answer(model, ids),
            conditions=tuple(RuleCondition(token=tokens[position], position=position) for position in positions),
            tokens=tuple(tokens),
            precision=rounded(result.precision),
            coverage=rounded(result.coverage),
        )

    def _search(self, published: _Published) -> Search:
        settings = {name: getattr(self, name) for name in _Published._fields}
        settled = {name: getattr(published, name) if value is None else value for name, value in settings.items()}
        return Search(
            threshold=self.threshold,
            stop_tolerance=self.stop_tolerance,
            certifies=self.certifies,
            max_race=self.max_race,
            max_conditions=self.max_conditions,
            stops_at_first=self.stops_at_first,
            **settled,
        )


def _answer(model: Model, row: Floats) -> str:
    return model.labels[int(np.argmax(model.predict(row[None])[0]))]
