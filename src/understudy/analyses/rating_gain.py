"""Rating gain: how much the chance of a correct answer grows with one more point of a rating."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from understudy.analyses.bootstrap import liberal_note
from understudy.analyses.results import YES_NO, alternative_of, finite, limits, notes_of, plain_summary
from understudy.analyses.rows import n_participants, numbers, text, yes_or_no
from understudy.deferred.pandas import pd
from understudy.deferred.scipy import sparse
from understudy.registry import register
from understudy.roles import Fit, Floats, Rng, Table
from understudy.schema import Estimate, Hypothesis, Record
from understudy.statistics.bootstrap import Bootstrap, bootstrap_summary, trimmed_batches
from understudy.statistics.regression import LogisticCurves, fit_logistic_curves

_BATCH_CELLS = 2_000_000
"""The largest arrays of a batch of resamples hold this many numbers (16 MB)."""
_SEPARATED = "No estimate: right and wrong are separated by the rating, or all answers are the same."


@register("analyses", "rating_gain")
class RatingGain(Record):
    """Fits correct or wrong on a rating with logistic regression, and estimates the rise between two ratings."""

    estimand: ClassVar[str] = "the rise in the chance of a correct answer between two ratings"
    rating: Literal["absolute", "within"] = "absolute"
    """absolute: the rise from `low` to `high`; within: ratings in standard deviations, the rise from 0 to 1."""
    method: Literal["stated", "published"] = "stated"
    """stated: within people, resampling people; published: within condition and item, resampling those (Hase & Bansal 2020)."""
    between: str | None = None
    """The factor whose levels are the conditions, for the published method."""
    low: float = 4.0
    high: float = 5.0
    n_resamples: int = Field(default=10_000, ge=100, le=100_000)
    confidence: float = 0.95

    @model_validator(mode="after")
    def _has_conditions(self) -> Self:
        if self.method == "published" and self.between is None:
            raise ValueError("The published method works within condition and item; name the factor in `between`.")
        return self

    @property
    def fit(self) -> Fit:
        """Return the fit: single trials with a rating in `other`."""
        is_published = self.method == "published"
        return Fit(
            YES_NO,
            unit="trial" if is_published or self.rating == "within" else "either",
            needs=frozenset({"other", "item"}) if is_published else frozenset({"other"}),
            reads=((self.between, None),) if self.between else (),
        )

    def estimate(self, table: Table, hypothesis: Hypothesis, rng: Rng) -> Estimate:
        """Return P(high) - P(low) with its bootstrap interval and p."""
        if "other" not in table.columns:
            raise ValueError("A rating gain needs the outcome with the ratings in `other`.")
        rows = self._rows(table)
        n_people = n_participants(rows)
        if n_people < 2:
            raise ValueError("One person cannot be resampled; a rating gain needs at least 2 people.")
        low, high = (self.low, self.high) if self.rating == "absolute" else (0.0, 1.0)
        values, features = _features(rows)
        estimate = float(
            _curves(np.asarray(features.sum(axis=0), dtype=np.float64).reshape(1, -1), values).rise(low, high)[0]
        )
        # Curve by curve in batches: with ratings within people, nearly every person has values of their own.
        rises = np.concatenate([_curves(sums, values).rise(low, high) for sums in self._drawn(rows, features, rng)])
        bootstrap = self._summary(estimate, rises[np.isfinite(rises)], hypothesis)
        return Estimate(
            effect=finite(estimate),
            effect_name=f"P(right | {high:g}) - P(right | {low:g})",
            null_value=0.0,
            interval=limits(bootstrap.interval, self.confidence) if bootstrap else None,
            p_value=bootstrap.p_centred if bootstrap else None,
            n_sessions=n_people,
            n_rows=len(rows),
            groups=tuple(
                plain_summary(f"{name} answers", numbers(rows[rows["value"] == right], "other"))
                for name, right in (("right", 1), ("wrong", 0))
                if (rows["value"] == right).any()
            ),
            details={
                "standard_error": finite(bootstrap.standard_error) if bootstrap else None,
                "n_resamples": bootstrap.n_resamples if bootstrap else 0,
                "n_separated": float(np.count_nonzero(~np.isfinite(rises))),
            },
            notes=notes_of(
                liberal_note([n_people]) if bootstrap and self.method == "stated" else "",
                "" if bootstrap else _SEPARATED,
                _left_out(len(table), len(rows)),
            ),
        )

    def _summary(self, estimate: float, rises: Floats, hypothesis: Hypothesis) -> Bootstrap | None:
        if not np.isfinite(estimate) or rises.size < 2:
            return None
        alternative = alternative_of(hypothesis.direction)
        return bootstrap_summary(estimate, rises, alternative=alternative, level=self.confidence)

    def _rows(self, table: Table) -> pd.DataFrame:
        columns = ["participant", *(["item"] if "item" in table.columns else [])]
        rows = pd.DataFrame({name: text(table, name) for name in columns})
        rows = rows.assign(value=yes_or_no(table), other=numbers(table, "other"))
        rows["block"] = rows["participant"]
        if self.method == "published" and self.between is not None:
            rows["block"] = text(table, self.between) + " " + rows["item"]
        rows = rows.sort_values(["block", *columns]).reset_index(drop=True)
        if self.rating == "absolute":
            return rows
        ratings = rows.groupby("block")["other"]
        spread = ratings.transform("std")
        # Without spread, a rescaled rating is undefined and becomes NaN.
        rows["other"] = (rows["other"] - ratings.transform("mean")) / spread.where(spread > 0)
        varying = rows[rows["other"].notna()].reset_index(drop=True)
        if not len(varying):
            raise ValueError("Nobody's ratings vary, so they cannot be taken within people; use the absolute ones.")
        return varying

    def _drawn(self, rows: pd.DataFrame, features: sparse.csr_array, rng: Rng) -> Iterator[Floats]:
        """Yield the summed features of resamples, batch by batch: of people, or of blocks trimmed as published."""
        if self.method == "published":
            blocks, items = (rows[name].to_numpy(dtype=np.str_) for name in ("block", "item"))
            for drawn in trimmed_batches(blocks, items, features, rng=rng, n_resamples=self.n_resamples):
                yield drawn.people_and_items
            return
        codes, people = pd.factorize(rows["block"], sort=True)
        n = len(people)
        is_of = sparse.csr_array((np.ones(codes.size), (codes, np.arange(codes.size))), shape=(n, codes.size))
        sums = is_of @ features
        size = max(1, _BATCH_CELLS // max(n, features.shape[1]))
        for start in range(0, self.n_resamples, size):
            # Multinomial counts are the numbers of times that each person is drawn with replacement.
            times = rng.multinomial(n, np.full(n, 1 / n), size=min(size, self.n_resamples - start))
            yield np.asarray(times.astype(np.float64) @ sums, dtype=np.float64)


def _features(rows: pd.DataFrame) -> tuple[Floats, sparse.csr_array]:
    """Return the distinct ratings, and for each row indicators of its rating, then the same times the answer."""
    values, codes = np.unique(rows["other"].to_numpy(dtype=np.float64), return_inverse=True)
    right = rows["value"].to_numpy(dtype=np.float64)
    numbered = np.arange(codes.size)
    # Two numbers in each row: a dense matrix would have a column for nearly every person.
    entries = (
        np.concatenate([np.ones(codes.size), right]),
        (np.tile(numbered, 2), np.concatenate([codes, codes + values.size])),
    )
    return values, sparse.csr_array(entries, shape=(codes.size, 2 * values.size))


def _curves(sums: Floats, values: Floats) -> LogisticCurves:
    trials, successes = np.split(sums, 2, axis=1)
    return fit_logistic_curves(successes, trials, values)


def _left_out(n_all: int, n_kept: int) -> str:
    lost = n_all - n_kept
    return f"Left out: {lost} of {n_all} rows whose ratings do not vary where they are rescaled." if lost else ""
