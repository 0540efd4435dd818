"""Block bootstraps: a mean or a difference of two levels, over participants and items or over participants alone."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

import numpy as np
from pydantic import Field

from understudy.analyses.blocks import Blocks, blocks_of
from understudy.analyses.kernels.bootstrap import Blocks as Resampled
from understudy.analyses.kernels.bootstrap import (
    Bootstrap,
    bootstrap_difference,
    bootstrap_mean,
    false_positive_rate,
)
from understudy.analyses.kernels.vectors import is_negligible
from understudy.analyses.results import alternative_of, finite, limits, notes_of
from understudy.analyses.scales import NUMBERS, YES_NO
from understudy.registry import register
from understudy.roles import Fit, Rng, Table
from understudy.schema import Estimate, Hypothesis, Record

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
    n_resamples: int = Field(default=10_000, ge=100)
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
    n_resamples: int = Field(default=10_000, ge=100)
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
