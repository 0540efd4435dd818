"""Agreement of several people about the same items, and the consistency of the questions of a scale."""

from __future__ import annotations

import math
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from understudy.analyses.results import EITHER_WAY, RANKED, YES_NO, effect_estimate, finite, finite_df, limits, notes_of
from understudy.analyses.rows import Wide, n_participants, numbers, refuse_repeats, text, wide
from understudy.deferred.pandas import pd
from understudy.registry import register
from understudy.roles import Fit, Rng, Table
from understudy.schema import Estimate, Hypothesis, Record, Scale
from understudy.statistics.agreement import (
    AlphaLevel,
    IccKind,
    alpha_interval,
    coincidences,
    intraclass_correlation,
    krippendorff_alpha,
    mcdonald_omega,
)
from understudy.statistics.distributions import Interval as Limits
from understudy.statistics.ranks import cronbach_alpha

_LABELS: frozenset[Scale] = frozenset({"nominal"})


@register("analyses", "icc")
class Icc(Record):
    """Estimates how far people agree in their numbers for the same items, by an intraclass correlation."""

    estimand: ClassVar[str] = "the share of the variance of numbers that lies between items"
    fit: ClassVar[Fit] = Fit(RANKED, unit="trial", needs=frozenset({"item"}), directions=EITHER_WAY)
    kind: IccKind = "agreement"
    """agreement: the same numbers; consistency: the same differences between items; one_way: other people per item."""
    of: Literal["single", "mean"] = "single"
    """Whether the correlation is of one person's ratings or of the mean of all."""
    rated: Literal["item", "participant"] = "item"
    """What is rated: items by people, or people by items, as in a scale."""
    confidence: float = 0.95

    def estimate(self, table: Table, hypothesis: Hypothesis, rng: Rng) -> Estimate:
        """Return the correlation with its interval and the F test that it is above 0."""
        rater = "participant" if self.rated == "item" else "item"
        raters = tuple(sorted(set(text(table, rater))))
        if len(raters) < 2:
            raise ValueError(
                f"An intraclass correlation needs at least 2 of {rater!r}, but the rows have {len(raters)}."
            )
        cells = wide(table, rater, raters, by=self.rated)
        test = intraclass_correlation(cells.values, kind=self.kind, averages=self.of == "mean", level=self.confidence)
        constant = (
            "No test: the ratings leave nothing to compare the correlation with." if math.isnan(test.p_value) else ""
        )
        estimate = effect_estimate(
            test.estimate, test, name="intraclass correlation", statistic="F", level=self.confidence
        )
        used = table[text(table, self.rated).isin(cells.units)]
        return estimate.model_copy(
            update={
                "df": finite_df(*test.df),
                "n_sessions": n_participants(used),
                "n_rows": cells.values.size,
                "details": {f"n_{self.rated}s": float(len(cells.units)), f"n_{rater}s": float(len(raters))},
                "notes": notes_of(cells.notes, constant),
            }
        )


@register("analyses", "krippendorff_alpha")
class KrippendorffAlpha(Record):
    """Estimates how far any number of people agree about items, also where some did not answer; no test."""

    estimand: ClassVar[str] = "agreement about items beyond chance"
    level: AlphaLevel = "nominal"
    """What counts as disagreement: any difference, the steps between ranks, or the squared difference."""
    n_resamples: int = Field(default=2000, ge=100, le=100_000)
    confidence: float = 0.95

    @property
    def fit(self) -> Fit:
        """Return the fit: single trials; labels have neither ranks nor differences."""
        scales = RANKED | YES_NO | _LABELS if self.level == "nominal" else RANKED
        return Fit(scales, unit="trial", needs=frozenset({"item"}), directions=EITHER_WAY)

    def estimate(self, table: Table, hypothesis: Hypothesis, rng: Rng) -> Estimate:
        """Return alpha with its percentile interval over resampled items."""
        refuse_repeats(table, ["participant", "item"])
        is_text = self.level == "nominal" and not pd.api.types.is_numeric_dtype(table["value"])
        values = text(table, "value").to_numpy() if is_text else numbers(table)
        known, answer_codes = np.unique(values, return_inverse=True)
        item_codes, items = pd.factorize(text(table, "item"), sort=True)
        person_codes, people = pd.factorize(text(table, "participant"), sort=True)
        codes = np.full((len(items), len(people)), -1)
        codes[item_codes, person_codes] = answer_codes
        n_alone = int((np.count_nonzero(codes >= 0, axis=1) < 2).sum())
        matrices = coincidences(codes, len(known))
        spacing = np.arange(len(known), dtype=np.float64) if is_text else known.astype(np.float64)
        alpha = krippendorff_alpha(matrices.sum(axis=0), spacing, self.level)
        interval = alpha_interval(
            matrices, spacing, self.level, rng=rng, n_resamples=self.n_resamples, confidence=self.confidence
        )
        return Estimate(
            effect=finite(alpha),
            effect_name=f"Krippendorff's alpha ({self.level})",
            interval=limits(interval, self.confidence),
            n_sessions=n_participants(table),
            n_rows=len(table),
            details={"n_items": float(len(items)), "n_values": float(len(known))},
            notes=notes_of(
                "Alpha cannot be computed: all ratings are the same." if math.isnan(alpha) else "",
                f"{n_alone} of {len(items)} items have a single rating, which agrees with nothing." if n_alone else "",
                "Estimation only: no p-value.",
            ),
        )


# Reliability of a scale: Cronbach's alpha and McDonald's omega over the items that each person answered.


class _OfItems(Record):
    fit: ClassVar[Fit] = Fit(RANKED | YES_NO, unit="trial", needs=frozenset({"item"}), directions=EITHER_WAY)
    confidence: float = 0.95


@register("analyses", "cronbach_alpha")
class CronbachAlpha(_OfItems):
    """Estimates how far the items of a scale measure the same thing; no test."""

    estimand: ClassVar[str] = "the reliability of the sum of items"

    def estimate(self, table: Table, hypothesis: Hypothesis, rng: Rng) -> Estimate:
        """Return alpha with Feldt's interval, over people who answered every item."""
        items, cells = _answers(table, "Cronbach's alpha", least=2)
        alpha, low, high = cronbach_alpha(cells.values, level=self.confidence)
        constant = "Alpha cannot be computed: the sums of people do not vary." if math.isnan(alpha) else ""
        return Estimate(
            effect=finite(alpha),
            effect_name="Cronbach's alpha",
            interval=limits(Limits(low, high), self.confidence),
            n_sessions=len(cells.units),
            n_rows=cells.values.size,
            details={"n_items": float(items)},
            notes=notes_of(cells.notes, constant, "Estimation only: no p-value."),
        )


@register("analyses", "omega")
class McDonaldOmega(_OfItems):
    """Estimates how reliable the sum of a scale is whose items share one factor but need not be equally good; no test."""

    estimand: ClassVar[str] = "the reliability of the sum of items that share one factor"

    def estimate(self, table: Table, hypothesis: Hypothesis, rng: Rng) -> Estimate:
        """Return omega total with its jackknife interval, over people who answered every item."""
        items, cells = _answers(table, "Omega", least=3)
        omega = mcdonald_omega(cells.values, level=self.confidence)
        constant = "Omega cannot be computed: an item does not vary." if math.isnan(omega.estimate) else ""
        heywood = "An item seems to have no error of its own (a Heywood case): do not trust this estimate."
        return Estimate(
            effect=finite(omega.estimate),
            effect_name="McDonald's omega",
            interval=limits(omega.interval, self.confidence),
            n_sessions=len(cells.units),
            n_rows=cells.values.size,
            details={"n_items": float(items), "smallest_loading": finite(float(omega.loadings.min()))},
            notes=notes_of(cells.notes, constant, heywood if omega.is_heywood else "", "Estimation only: no p-value."),
        )


def _answers(table: Table, what: str, *, least: int) -> tuple[int, Wide]:
    """Return the number of items and people × items, complete people only."""
    items = tuple(sorted(set(text(table, "item"))))
    if len(items) < least:
        raise ValueError(f"{what} needs at least {least} items, but the rows have {len(items)}.")
    cells = wide(table, "item", items)
    if len(cells.units) < 2:
        raise ValueError(f"{what} needs at least 2 people who answered every item, but the rows have 1.")
    return len(items), cells
