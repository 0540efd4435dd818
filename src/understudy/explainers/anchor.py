"""Anchor: a rule under which the model nearly always gives the same answer, whatever else changes."""

from typing import ClassVar, Literal, NamedTuple

import numpy as np
from pydantic import Field

from understudy.explainers.background import Background, background_of
from understudy.explainers.kernels.distinct import lengths_of
from understudy.explainers.kernels.rule_search import Search, find_rule
from understudy.explainers.reading import require_columns, require_predicted, rounded, tokens_of, values_of
from understudy.explainers.rule_samplers import RowSampler, TextDraws, TextSampler
from understudy.registry import register
from understudy.roles import Explained, Floats, Ints, Model, Rng, Variables, Vocabulary
from understudy.schema import DatasetRef, Record, RuleCondition, RuleExplanation
from understudy.sources.edits.word_edits import choices_for
from understudy.sources.edits.words import words_for


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
