"""Regression to the mean: whether Change could be explained by people returning to the average."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from understudy.analyses.estimates import effect_estimate
from understudy.analyses.kernels.regression_to_mean import fit_line, split_slope
from understudy.analyses.phase_pairs import PhasePairs, phase_pairs
from understudy.analyses.results import alternative_of, finite, notes_of
from understudy.analyses.rows import numbers
from understudy.analyses.scales import EITHER_WAY, NUMBERS, YES_NO
from understudy.deferred.pandas import pd
from understudy.registry import register
from understudy.roles import Fit, Floats, Rng, Table
from understudy.schema import Estimate, Hypothesis, Record


@register("analyses", "regression_to_mean")
class RegressionToMean(Record):
    """Fits each person's Change on their starting value, and finds where the largest Change comes from."""

    estimand: ClassVar[str] = "the slope of change on the starting value over people"
    between: str | None = None
    """The factor whose levels are the conditions."""
    min_items: int = Field(default=10, ge=1, le=100_000)
    """People with fewer pairs are left out."""
    confidence: float = 0.95

    @property
    def fit(self) -> Fit:
        """Return the fit: single trials of two phases with their items."""
        return Fit(
            NUMBERS | YES_NO,
            unit="trial",
            factor="within",
            n_levels="two",
            needs=frozenset({"item"}),
            reads=((self.between, None),) if self.between else (),
            directions=EITHER_WAY,
        )

    def estimate(self, table: Table, hypothesis: Hypothesis, rng: Rng) -> Estimate:
        """Return the slope with its t test, the slope over different items, and the start of the largest Change."""
        # Called for its check only: the slope has no direction to test.
        alternative_of(hypothesis.direction)
        pairs = phase_pairs(table, hypothesis, self.between)
        people = pairs.rows.groupby(["participant", "group"])[["first", "second"]].agg(["mean", "size"])
        included = people[people[("first", "size")] >= self.min_items]
        if len(included) < 3:
            raise ValueError(
                f"{len(included)} people have {self.min_items} or more pairs; a line needs at least 3. Lower `min_items`."
            )
        start = included[("second", "mean")].to_numpy(dtype=np.float64)
        change = included[("first", "mean")].to_numpy(dtype=np.float64) - start
        line = fit_line(start, change, level=self.confidence)
        top = _largest(pairs) if self.between else None
        caution = (
            "Chance in the first answers alone makes this slope negative; read split_slope, where start and Change come "
            "from different items."
        )
        details = {
            "standard_error": finite(line.standard_error),
            "intercept": finite(line.intercept),
            "n_people": float(len(included)),
            "split_slope": finite(split_slope(_whole(pairs, "second"), _whole(pairs, "first"))),
            **({"largest_change": top.change, "its_start_above_mean": top.above} if top else {}),
        }
        notes = notes_of(
            caution if np.isfinite(line.slope) else "No test: everybody started alike.",
            top.sentence(pairs.levels[1]) if top else "",
            _few(len(people) - len(included), self.min_items),
            pairs.note,
        )
        name = f"slope of change on {pairs.levels[1]}"
        estimate = effect_estimate(line.slope, line, name=name, statistic="t", level=self.confidence)
        return estimate.model_copy(
            update={
                "df": (float(line.df),),
                "n_sessions": pairs.n_people,
                "n_rows": 2 * len(pairs.rows),
                "groups": pairs.groups,
                "details": details,
                "notes": notes,
            }
        )


class _Largest(Record):
    """The condition with the largest Change, and how far its start is above the overall mean."""

    group: str
    change: float
    above: float

    def sentence(self, phase: str) -> str:
        """Return whether regression to the mean can explain the largest Change, as a sentence."""
        side: Literal["above", "below"] = "above" if self.above >= 0 else "below"
        against = "so falling back to the mean does not explain it" if self.above >= 0 else "where rising is expected"
        return (
            f"The largest Change is that of {self.group} ({self.change:+.3f}); its mean in {phase} lies "
            f"{abs(self.above):.3f} {side} the overall mean, {against}."
        )


def _largest(pairs: PhasePairs) -> _Largest:
    means = pairs.rows.groupby("group")[["first", "second"]].mean()
    change = means["first"] - means["second"]
    group = str(change.idxmax())
    overall = float(numbers(pairs.rows, "second").mean())
    start = float(means["second"].to_dict()[group])
    return _Largest(group=group, change=float(change.max()), above=start - overall)


def _whole(pairs: PhasePairs, column: str) -> Floats:
    """Return people × items; a person in several conditions counts as several people."""
    rows = pairs.rows.assign(who=pairs.rows["participant"] + " " + pairs.rows["group"])
    matrix: pd.DataFrame = rows.pivot(index="who", columns="item", values=column)
    return matrix.to_numpy(dtype=np.float64)


def _few(n: int, min_items: int) -> str:
    return f"Left out: {n} people with fewer than {min_items} pairs." if n else ""
