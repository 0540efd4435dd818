"""Change of the same people on the same items between two phases, as published and as a regression to the mean."""

from __future__ import annotations

from typing import ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from understudy.analyses.results import (
    EITHER_WAY,
    NUMBERS,
    YES_NO,
    alternative_of,
    effect_estimate,
    finite,
    limits,
    notes_of,
)
from understudy.analyses.rows import PhasePairs, numbers, phase_pairs, text
from understudy.deferred.pandas import pd
from understudy.registry import register
from understudy.roles import Fit, Floats, Rng, Table
from understudy.schema import Estimate, GroupSummary, Hypothesis, Record
from understudy.statistics.arrays import is_negligible
from understudy.statistics.bootstrap import (
    Bootstrap,
    bootstrap_mean,
    bootstrap_summary,
    calibrated,
    crossed_spread,
    resampled_differences,
    resampled_means,
)
from understudy.statistics.change import PairedAnswers, published_change, published_summary
from understudy.statistics.regression import fit_line, split_slope

_NO_SPREAD = "No test: every resample gives the same number, so there is no spread."

_CAUTION = (
    "The paper's way, for comparison: people are drawn across conditions, and resamples with a singular fit or without "
    "the condition are skipped. Read the Change within the condition."
)


@register("analyses", "change")
class Change(Record):
    """Compares two phases pair by pair over people and items, in one condition or compared with a second one."""

    estimand: ClassVar[str] = "the mean change between two phases, over people and items"
    method: Literal["within_condition", "published"] = "within_condition"
    """published: as computed by Hase & Bansal (2020), mixed models over resamples that cross conditions."""
    between: str | None = None
    """The factor whose levels are the conditions."""
    level: str | None = None
    """The condition whose Change is estimated. Default: all people together."""
    reference: str | None = None
    """A second condition, such as a control, whose Change is subtracted."""
    spread: Literal["calibrated", "two_way", "participants"] = "calibrated"
    """The resamples for interval and p: of people and items rescaled to their true spread, the same unscaled
    (conservative), or of people alone (liberal if items vary)."""
    n_resamples: int = Field(default=10_000, ge=100, le=100_000)
    confidence: float = 0.95

    @model_validator(mode="after")
    def _named_conditions(self) -> Self:
        if self.level is not None and self.between is None:
            raise ValueError(f"level is {self.level!r}, but `between` names no factor; name the one it belongs to.")
        if self.reference is not None and (self.level is None or self.reference == self.level):
            raise ValueError(f"reference is {self.reference!r}; it needs another condition in `level` to compare with.")
        if self.method == "published" and (self.level is None or self.reference is not None):
            raise ValueError(
                "The published method gives the Change of one condition: name it in `level`, no reference."
            )
        return self

    @property
    def samples_items(self) -> bool:
        """Tell whether resamples draw items too."""
        return self.spread != "participants"

    @property
    def fit(self) -> Fit:
        """Return the fit: single trials of two phases with their items; only binary outcomes for the published method."""
        named = [self.level] if self.reference is None else [self.level, self.reference]
        if self.method == "published":
            # Its resamples cross conditions, so it reads all of them.
            named.append(None)
        return Fit(
            YES_NO if self.method == "published" else NUMBERS | YES_NO,
            unit="trial",
            factor="within",
            n_levels="two",
            needs=frozenset({"item"}),
            reads=tuple((self.between, level) for level in named) if self.between else (),
        )

    def estimate(self, table: Table, hypothesis: Hypothesis, rng: Rng) -> Estimate:
        """Return Change with its interval; the details have the other intervals and the numbers of unpaired answers."""
        if self.between is not None and self.between not in table.columns:
            raise ValueError(f"The rows have no column {self.between!r}, which `between` names.")
        if self.method == "published":
            return self._published(table, hypothesis, rng)
        return self._within(table, hypothesis, rng)

    def _within(self, table: Table, hypothesis: Hypothesis, rng: Rng) -> Estimate:
        pairs = self._pairs(table, hypothesis, self.level)
        reference_pairs = self._pairs(table, hypothesis, self.reference) if self.reference else None
        items = _items(pairs, reference_pairs)
        tables = [phase.matrix(items=items) for phase in (pairs, reference_pairs) if phase is not None]
        bootstraps = self._bootstraps(tables, hypothesis, rng)
        shown = bootstraps[self.spread]
        is_constant = is_negligible(shown.standard_error, max(float(np.nanmax(np.abs(matrix))) for matrix in tables))
        spread = crossed_spread(tables)
        return Estimate(
            effect=shown.estimate,
            effect_name=_name(pairs.levels, self.reference),
            null_value=0.0,
            interval=None if is_constant else limits(shown.interval, self.confidence),
            p_value=None if is_constant else shown.p_centred,
            n_sessions=pairs.n_people + (reference_pairs.n_people if reference_pairs else 0),
            n_rows=2 * sum(len(phase.rows) for phase in (pairs, reference_pairs) if phase is not None),
            groups=self._groups(pairs, rng)
            + (self._groups(reference_pairs, rng, self.reference) if reference_pairs else ()),
            details={
                "standard_error": finite(spread.standard_error),
                "df": finite(spread.df),
                **_counts(pairs),
                **_others(bootstraps, self.spread),
                "n_resamples": shown.n_resamples,
            },
            notes=notes_of(
                pairs.note if reference_pairs is None else pairs.note_in(self.level),
                reference_pairs.note_in(self.reference) if reference_pairs else "",
                _NO_SPREAD if is_constant else "",
            ),
        )

    def _bootstraps(self, tables: list[Floats], hypothesis: Hypothesis, rng: Rng) -> dict[str, Bootstrap]:
        estimate = float(np.nanmean(tables[0])) - (float(np.nanmean(tables[1])) if len(tables) > 1 else 0.0)

        def drawn(kind: Literal["participants_and_items", "participants"]) -> Floats:
            if len(tables) == 1:
                return resampled_means(tables[0], rng=rng, blocks=kind, n_resamples=self.n_resamples)
            return resampled_differences(
                *tables, rng=rng, blocks=kind, items_are_shared=True, n_resamples=self.n_resamples
            )

        two_way = drawn("participants_and_items")
        # Conservative or liberal, both plain bootstraps are reported next to the calibrated one.
        values = {
            "calibrated": calibrated(two_way, estimate, crossed_spread(tables)),
            "two_way": two_way,
            "participants": drawn("participants"),
        }
        alternative = alternative_of(hypothesis.direction)
        return {
            name: bootstrap_summary(estimate, resamples, alternative=alternative, level=self.confidence)
            for name, resamples in values.items()
        }

    def _pairs(self, table: Table, hypothesis: Hypothesis, level: str | None) -> PhasePairs:
        if self.between is None or level is None:
            return phase_pairs(table, hypothesis)
        chosen = table[text(table, self.between) == level]
        if not len(chosen):
            raise ValueError(f"No row has level {level} of {self.between!r}.")
        return phase_pairs(chosen, hypothesis)

    def _groups(self, pairs: PhasePairs, rng: Rng, condition: str | None = None) -> tuple[GroupSummary, ...]:
        summaries = []
        for group, column in zip(pairs.groups, ("first", "second"), strict=True):
            two_way = bootstrap_mean(pairs.matrix(column), rng=rng, n_resamples=2000, level=self.confidence)
            name = f"{condition}, {group.group}" if condition else group.group
            interval = limits(two_way.interval, self.confidence)
            summaries.append(group.model_copy(update={"group": name, "interval": interval}))
        return tuple(summaries)

    def _published(self, table: Table, hypothesis: Hypothesis, rng: Rng) -> Estimate:
        pairs = phase_pairs(table, hypothesis, self.between)
        conditions = sorted(set(pairs.rows["group"]))
        if self.level not in conditions or len(conditions) < 2:
            raise ValueError(
                f"The published method needs pairs of {self.level!r} and of another level of {self.between!r}; "
                f"there are pairs of {', '.join(conditions)}."
            )
        column = conditions.index(self.level)
        alternative = alternative_of(hypothesis.direction)
        drawn = published_change(_answers(pairs, conditions), rng=rng, n_resamples=self.n_resamples)
        shown, people = (
            published_summary(resampled.change[:, column], alternative=alternative, level=self.confidence)
            for resampled in drawn
        )
        in_condition = self._pairs(table, hypothesis, self.level)
        return Estimate(
            effect=shown.estimate,
            effect_name=_name(pairs.levels, None),
            null_value=0.0,
            interval=limits(shown.interval, self.confidence),
            p_value=shown.p_published,
            n_sessions=pairs.n_people,
            n_rows=2 * len(pairs.rows),
            groups=in_condition.groups,
            details={
                "standard_error": finite(shown.standard_error),
                **_counts(in_condition),
                **_limits("participants_only", people, people.p_published),
                "n_resamples": shown.n_resamples,
                "n_singular": drawn.people_and_items.n_singular,
                "n_unfitted": drawn.people_and_items.n_unfitted,
            },
            notes=notes_of(pairs.note, _CAUTION),
        )


def _answers(pairs: PhasePairs, conditions: list[str]) -> PairedAnswers:
    after, before = numbers(pairs.rows, "first"), numbers(pairs.rows, "second")
    if not np.isin([after, before], (0, 1)).all():
        raise ValueError("The published method takes right and wrong, coded 1 and 0.")
    codes = pd.Index(conditions).get_indexer(pd.Index(pairs.rows["group"])).astype(np.int64)
    people, items = (pairs.rows[name].to_numpy(dtype=np.str_) for name in ("participant", "item"))
    return PairedAnswers(people, items, codes, before, after)


def _items(pairs: PhasePairs, other: PhasePairs | None) -> pd.Index:
    names = set(pairs.rows["item"]) | (set() if other is None else set(other.rows["item"]))
    items: pd.Index = pd.Index(sorted(names))
    return items


def _name(levels: tuple[str, str], reference: str | None) -> str:
    return f"change ({levels[0]} - {levels[1]}{f', less that of {reference}' if reference else ''})"


def _counts(pairs: PhasePairs) -> dict[str, float | None]:
    alone = {f"only_{level}": float(n) for level, n in zip(pairs.levels, pairs.n_alone, strict=True)}
    return {"n_pairs": float(len(pairs.rows)), "n_people": float(pairs.n_people), **alone}


def _others(bootstraps: dict[str, Bootstrap], shown: str) -> dict[str, float | None]:
    names = {"calibrated": "calibrated", "two_way": "two_way", "participants": "participants_only"}
    details: dict[str, float | None] = {}
    for kind, name in names.items():
        if kind != shown:
            details |= _limits(name, bootstraps[kind], bootstraps[kind].p_centred)
    return details


def _limits(name: str, bootstrap: Bootstrap, p_value: float) -> dict[str, float | None]:
    return {f"{name}_low": bootstrap.interval.low, f"{name}_high": bootstrap.interval.high, f"{name}_p": p_value}


# Regression to the mean: whether Change could be explained by people returning to the average.


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
