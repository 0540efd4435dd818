"""Bootstraps over people and items, from answers as participants × items matrices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, TypeAlias

import numpy as np
from pydantic import Field

from understudy.analyses.results import (
    NUMBERS,
    YES_NO,
    alternative_of,
    difference_name,
    finite,
    limits,
    notes_of,
    plain_summary,
)
from understudy.analyses.rows import level_pair, n_participants, numbers, refuse_repeats, text, varies_within
from understudy.deferred.pandas import pd
from understudy.registry import register
from understudy.roles import Fit, Floats, Rng, Table
from understudy.schema import Estimate, GroupSummary, Hypothesis, Record
from understudy.statistics.arrays import is_negligible
from understudy.statistics.bootstrap import Blocks as Resampled
from understudy.statistics.bootstrap import Bootstrap, bootstrap_difference, bootstrap_mean, false_positive_rate


@dataclass(frozen=True)
class Blocks:
    """The answers to resample: one matrix, or one for each of two groups of people; NaN without an answer."""

    name: str
    first: Floats
    second: Floats | None
    n_participants: int
    n_rows: int
    groups: tuple[GroupSummary, ...]
    has_items: bool
    """Whether columns are items; otherwise they only number a person's answers."""
    items_are_shared: bool = True
    null: float = 0.0
    is_tested: bool = True
    notes: tuple[str, ...] = ()


def blocks_of(table: Table, hypothesis: Hypothesis, *, needs_items: bool) -> Blocks:
    """Return the matrix of a mean, of differences within people, or the two matrices of two groups.

    If items are not needed, people who saw an item several times are analysed without items.
    """
    cell = ["participant", "item", *([hypothesis.factor] if hypothesis.factor else [])]
    if needs_items or "item" not in table.columns or not table.duplicated(cell).any():
        return _blocks(table, hypothesis)
    blocks = _blocks(table.drop(columns="item"), hypothesis)
    repeated = "Some people met an item several times, so there is no interval over people and items."
    return replace(blocks, notes=(*blocks.notes, repeated))


def _blocks(table: Table, hypothesis: Hypothesis) -> Blocks:
    if hypothesis.factor is None:
        return _mean_blocks(table, hypothesis)
    if hypothesis.against is not None:
        raise ValueError("A bootstrap compares two levels, or a mean with a value; leave `against` out.")
    pair = level_pair(table, hypothesis)
    build = _within_blocks if varies_within(pair.rows, pair.factor) else _between_blocks
    return build(pair.rows, pair.factor, pair.levels)


def _mean_blocks(table: Table, hypothesis: Hypothesis) -> Blocks:
    against = hypothesis.against
    has_items = "item" in table.columns
    return Blocks(
        name="mean" if against is None else f"mean (against {against:g})",
        first=_matrix(table).to_numpy(dtype=np.float64),
        second=None,
        n_participants=n_participants(table),
        n_rows=len(table),
        groups=(plain_summary("all", numbers(table)),),
        has_items=has_items,
        null=against or 0.0,
        is_tested=against is not None,
    )


def _between_blocks(table: Table, factor: str, levels: tuple[str, str]) -> Blocks:
    has_items = "item" in table.columns
    parts = [table[text(table, factor) == level] for level in levels]
    first, second = (_matrix(part) for part in parts)
    items = first.columns.union(second.columns)
    # Items are shared if the groups overlap at all; items of one group only are missing in the other.
    is_shared = has_items and len(items) < len(first.columns) + len(second.columns)
    if is_shared:
        first, second = first.reindex(columns=items), second.reindex(columns=items)
    return Blocks(
        name=difference_name(levels),
        first=first.to_numpy(dtype=np.float64),
        second=second.to_numpy(dtype=np.float64),
        n_participants=n_participants(table),
        n_rows=len(table),
        groups=_groups(levels, parts),
        has_items=has_items,
        items_are_shared=is_shared,
    )


def _within_blocks(table: Table, factor: str, levels: tuple[str, str]) -> Blocks:
    # Differences within an item remove its difficulty, so they are preferred to means per person.
    matched = _matched_differences(table, factor, levels) if "item" in table.columns else None
    is_matched = matched is not None and bool(matched.notna().to_numpy().any())
    differences = matched if matched is not None and is_matched else _person_differences(table, factor, levels)
    differences = differences.dropna(how="all").dropna(how="all", axis="columns")
    if differences.empty:
        raise ValueError(f"No participant has answers at both {levels[0]} and {levels[1]} of {factor!r}.")
    by = ["participant", "item"] if is_matched else ["participant"]
    keys = pd.MultiIndex.from_arrays([text(table, name) for name in by])
    used_keys = differences.stack().dropna().index if is_matched else pd.MultiIndex.from_arrays([differences.index])
    used = table[keys.isin(used_keys)]
    n_left = len(table) - len(used)
    lacking = f"Left out: {n_left} of {len(table)} rows whose {' and '.join(by)} lacks the other level."
    averaged = "" if is_matched else "Each participant's answers are averaged at both levels before the difference."
    return Blocks(
        name=difference_name(levels),
        first=differences.to_numpy(dtype=np.float64),
        second=None,
        n_participants=len(differences),
        n_rows=len(used),
        groups=_groups(levels, [used[text(used, factor) == level] for level in levels]),
        has_items=is_matched,
        notes=notes_of(lacking if n_left else "", averaged),
    )


def _matrix(table: Table) -> pd.DataFrame:
    """Return participants × items; without items, each person's answers in order."""
    people = text(table, "participant")
    if "item" in table.columns:
        refuse_repeats(table, ["participant", "item"])
        columns = text(table, "item")
    else:
        columns = people.groupby(people).cumcount().astype(str)
    long = pd.DataFrame({"participant": people, "column": columns, "value": numbers(table)})
    return long.pivot(index="participant", columns="column", values="value")


def _matched_differences(table: Table, factor: str, levels: tuple[str, str]) -> pd.DataFrame:
    refuse_repeats(table, ["participant", "item", factor])
    first, second = (_matrix(table[text(table, factor) == level]) for level in levels)
    return first - second


def _person_differences(table: Table, factor: str, levels: tuple[str, str]) -> pd.DataFrame:
    first, second = (
        pd.Series(numbers(part)).groupby(text(part, "participant").to_numpy()).mean()
        for part in (table[text(table, factor) == level] for level in levels)
    )
    return pd.DataFrame({"difference": first - second})


def _groups(levels: tuple[str, str], parts: list[Table]) -> tuple[GroupSummary, ...]:
    return tuple(plain_summary(level, numbers(part)) for level, part in zip(levels, parts, strict=True))


# Block bootstraps: a mean or a difference of two levels, over participants and items or over participants alone.

_TOO_OFTEN = 0.058
_WIDER = 1.25
"""How much wider an interval over people and items may be before the fixed items of the other one need a word."""
_TWO_WAY = (
    "Resampling people and items together is conservative: it rejects a true null hypothesis in fewer studies than alpha "
    "says (Owen 2007)."
)
PMethod: TypeAlias = Literal["centred", "sign", "published"]


@dataclass(frozen=True)
class _Drawing:
    """The options for drawing resamples."""

    n_resamples: int
    p_method: PMethod
    confidence: float


@register("analyses", "two_way_bootstrap")
class TwoWayBootstrap(Record):
    """Resamples participants and items together, so that the result generalises to both populations."""

    estimand: ClassVar[str] = "the mean, or the difference of means, over people and items like these"
    fit: ClassVar[Fit] = Fit(
        NUMBERS | YES_NO, unit="trial", factor="optional", n_levels="two", needs=frozenset({"item"})
    )
    samples_items: ClassVar[bool] = True
    n_resamples: int = Field(default=10_000, ge=100, le=100_000)
    p_method: PMethod = "centred"
    confidence: float = 0.95

    def estimate(self, table: Table, hypothesis: Hypothesis, rng: Rng) -> Estimate:
        """Return the mean or difference; the details have the interval from resampling participants only."""
        blocks = blocks_of(table, hypothesis, needs_items=True)
        if not blocks.has_items:
            raise ValueError(
                f"No participant met the same item at both levels of {hypothesis.factor!r}, so differences cannot be "
                "taken item by item. Use a mixed model with random effects of items."
            )
        drawing = _Drawing(self.n_resamples, self.p_method, self.confidence)
        return _estimate(blocks, hypothesis, drawing, kinds=("participants_and_items", "participants"), rng=rng)


@register("analyses", "participant_bootstrap")
class ParticipantBootstrap(Record):
    """Resamples participants and keeps items fixed, so that the result applies to these items only."""

    estimand: ClassVar[str] = "the mean, or the difference of means, over people, for these items"
    fit: ClassVar[Fit] = Fit(NUMBERS | YES_NO, unit="either", factor="optional", n_levels="two")
    n_resamples: int = Field(default=10_000, ge=100, le=100_000)
    p_method: PMethod = "centred"
    confidence: float = 0.95

    def estimate(self, table: Table, hypothesis: Hypothesis, rng: Rng) -> Estimate:
        """Return the mean or difference; if items are known, the details have the two-way interval."""
        blocks = blocks_of(table, hypothesis, needs_items=False)
        drawing = _Drawing(self.n_resamples, self.p_method, self.confidence)
        return _estimate(blocks, hypothesis, drawing, kinds=("participants", "participants_and_items"), rng=rng)


def _estimate(
    blocks: Blocks, hypothesis: Hypothesis, drawing: _Drawing, *, kinds: tuple[Resampled, Resampled], rng: Rng
) -> Estimate:
    main = _bootstrap(blocks, hypothesis, drawing, kind=kinds[0], rng=rng)
    is_constant = _is_constant(main, blocks)
    details: dict[str, float | None] = {
        "standard_error": finite(main.standard_error),
        "resample_mean": main.resample_mean,
        "n_resamples": main.n_resamples,
    }
    fixed_items = ""
    if kinds[1] == "participants" or blocks.has_items:
        name = "participants_only" if kinds[1] == "participants" else "two_way"
        other = _bootstrap(blocks, hypothesis, drawing, kind=kinds[1], rng=rng)
        details |= {f"{name}_low": other.interval.low + blocks.null, f"{name}_high": other.interval.high + blocks.null}
        # Both ways of resampling are reported: one is conservative, the other liberal (Owen 2007).
        details |= {f"{name}_p": _p_value(other, blocks, drawing.p_method)}
        fixed_items = _fixed_items(main, other) if kinds[0] == "participants" and not is_constant else ""
    p_value = _p_value(main, blocks, drawing.p_method)
    interval = main.interval._replace(low=main.interval.low + blocks.null, high=main.interval.high + blocks.null)
    return Estimate(
        effect=main.estimate + blocks.null,
        effect_name=blocks.name,
        null_value=blocks.null if blocks.is_tested else None,
        interval=None if is_constant else limits(interval, drawing.confidence),
        p_value=p_value,
        n_sessions=blocks.n_participants,
        n_rows=blocks.n_rows,
        groups=blocks.groups,
        details=details,
        notes=notes_of(
            blocks.notes,
            _no_test(blocks, is_constant=is_constant),
            _few_people(blocks) if kinds[0] == "participants" and p_value is not None else "",
            fixed_items,
            _TWO_WAY if kinds[0] == "participants_and_items" and p_value is not None else "",
        ),
    )


def _bootstrap(blocks: Blocks, hypothesis: Hypothesis, drawing: _Drawing, *, kind: Resampled, rng: Rng) -> Bootstrap:
    alternative = alternative_of(hypothesis.direction)
    if blocks.second is None:
        return bootstrap_mean(
            blocks.first - blocks.null,
            rng=rng,
            blocks=kind,
            n_resamples=drawing.n_resamples,
            alternative=alternative,
            level=drawing.confidence,
        )
    return bootstrap_difference(
        blocks.first,
        blocks.second,
        rng=rng,
        blocks=kind,
        items_are_shared=blocks.items_are_shared,
        n_resamples=drawing.n_resamples,
        alternative=alternative,
        level=drawing.confidence,
    )


def _p_value(bootstrap: Bootstrap, blocks: Blocks, method: PMethod) -> float | None:
    if not blocks.is_tested or _is_constant(bootstrap, blocks):
        return None
    return {"centred": bootstrap.p_centred, "sign": bootstrap.p_sign, "published": bootstrap.p_published}[method]


def _is_constant(bootstrap: Bootstrap, blocks: Blocks) -> bool:
    groups = [blocks.first] if blocks.second is None else [blocks.first, blocks.second]
    return is_negligible(bootstrap.standard_error, max(float(np.nanmax(np.abs(group))) for group in groups))


def _few_people(blocks: Blocks) -> str:
    """Warn where resampling few people rejects too often; empty where it hardly does."""
    return liberal_note([group.shape[0] for group in (blocks.first, blocks.second) if group is not None])


def liberal_note(sizes: Sequence[int]) -> str:
    """Say how often a true null hypothesis is rejected if groups of so few people are resampled."""
    rate = false_positive_rate(sizes)
    if rate < _TOO_OFTEN:
        return ""
    counted = " and ".join(map(str, sizes))
    return (
        f"With n = {counted} people, resampling participants is liberal: it rejects a true null hypothesis in about "
        f"{rate:.1%} of studies at an alpha of 5 %. A mixed model keeps the alpha, and so does a t-test."
    )


def _fixed_items(main: Bootstrap, two_way: Bootstrap) -> str:
    """Say where items differ so much that a result over these items may not hold for others."""
    if two_way.standard_error < _WIDER * main.standard_error:
        return ""
    ratio = two_way.standard_error / main.standard_error
    return (
        f"Items are kept fixed, so the result applies to these items only: over people and items, the standard error is "
        f"{ratio:.1f} times as large (two_way in the details)."
    )


def _no_test(blocks: Blocks, *, is_constant: bool) -> str:
    if not blocks.is_tested:
        return "Estimation only: there is no p-value, because the mean is not compared with anything. Give `against` for a test."
    return "No test: every resample gives the same number, so there is no spread." if is_constant else ""
