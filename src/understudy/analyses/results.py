"""Results: numbers of statistics as fields of records, where NaN and infinity become None."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

import numpy as np

from understudy.roles import Floats
from understudy.schema import Direction, EffectSize, Estimate, GroupSummary, Interval, Ref, Scale
from understudy.statistics.describe import mean_summary, proportion
from understudy.statistics.distributions import Alternative
from understudy.statistics.distributions import Interval as Limits

NO_SPREAD = "No test: the values do not vary, so there is no spread to compare the effect with."
_ALTERNATIVES: dict[Direction, Alternative] = {"greater": "greater", "less": "less", "different": "two-sided"}


def alternative_of(direction: Direction) -> Alternative:
    """Return the kernels' word for a direction; `greater` means the first level minus the second."""
    if direction not in _ALTERNATIVES:
        raise ValueError(f"This test can show greater, less or different, but not {direction!r}.")
    return _ALTERNATIVES[direction]


def refuse_direction(direction: Direction, what: str) -> None:
    """Reject a direction for a test without one."""
    if direction != "different":
        raise ValueError(f"{what} has no direction, but the hypothesis says {direction!r}. Name a contrast.")


def finite(value: float) -> float | None:
    """Return a number, or None if it is infinite or NaN."""
    return float(value) if math.isfinite(value) else None


def finite_df(*df: float) -> tuple[float, ...]:
    """Return degrees of freedom, or none if one is unknown."""
    return tuple(float(value) for value in df) if all(map(math.isfinite, df)) else ()


def finite_details(details: Mapping[str, float]) -> dict[str, float | None]:
    """Return further numbers by name, with None for unknown ones."""
    return {name: finite(value) for name, value in details.items()}


def limits(interval: Limits, level: float) -> Interval | None:
    """Return an interval; an infinite end is open, and None without any finite end or any confidence."""
    low, high = finite(interval.low), finite(interval.high)
    is_unknown = math.isnan(interval.low) or math.isnan(interval.high) or (low is None and high is None)
    return None if is_unknown or level <= 0 else Interval(low=low, high=high, level=level)


def effect_size(
    name: str, value: float, interval: Limits | None, level: float, *, null_value: float = 0.0
) -> EffectSize:
    """Return an effect size with its interval, if it has one."""
    size_limits = limits(interval, level) if interval else None
    return EffectSize(name=name, value=finite(value), interval=size_limits, null_value=null_value)


def moved_limit_note(size: EffectSize) -> str:
    """Say that a limit of eta squared was moved to the estimate, which it would have excluded; empty if not."""
    if (
        size.interval is None
        or not size.value
        or size.value == 1
        or size.value not in (size.interval.low, size.interval.high)
    ):
        return ""
    return f"The interval of {size.name} from the noncentral F would exclude the estimate; it was widened to hold it."


def summary_of(group: str, values: Floats, level: float) -> GroupSummary:
    """Describe one group by n, mean, SD, median and the t interval of the mean."""
    summary = mean_summary(values, level=level)
    return GroupSummary(
        group=group,
        n=summary.n,
        mean=summary.mean,
        sd=finite(summary.sd),
        median=float(np.median(values)),
        interval=limits(summary.interval, level),
    )


def share_of(group: str, values: Floats, level: float) -> GroupSummary:
    """Describe one group of yes and no by n, share and Wilson's interval."""
    share = proportion(int(values.sum()), values.size, level=level)
    return GroupSummary(group=group, n=share.n, mean=share.estimate, interval=limits(share.interval, level))


def plain_summary(group: str, values: Floats) -> GroupSummary:
    """Describe repeated rows of people without an interval; yes and no by their share alone."""
    if np.isin(values, (0, 1)).all():
        return GroupSummary(group=group, n=values.size, mean=float(values.mean()))
    return summary_of(group, values, 0.95).model_copy(update={"interval": None})


def summaries_of(groups: Mapping[str, Floats], level: float) -> tuple[GroupSummary, ...]:
    """Describe every group."""
    return tuple(summary_of(name, values, level) for name, values in groups.items())


def columns_by_name(levels: Sequence[str], values: Floats) -> dict[str, Floats]:
    """Return the columns of a matrix by their levels."""
    return dict(zip(levels, values.T, strict=True))


def notes_of(*notes: str | Iterable[str]) -> tuple[str, ...]:
    """Join notes, leaving out empty ones."""
    joined: list[str] = []
    for note in notes:
        joined.extend([note] if isinstance(note, str) else note)
    return tuple(note for note in joined if note)


def spread_note(p_value: float) -> str:
    """Return the reason for a missing p-value: values without spread."""
    return NO_SPREAD if math.isnan(p_value) else ""


def difference_name(levels: Sequence[str], what: str = "mean difference") -> str:
    """Return the name of a difference between two levels.

    >>> difference_name(("shown", "hidden"))
    'mean difference (shown - hidden)'
    """
    return f"{what} ({levels[0]} - {levels[1]})"


# Estimates: what tests of one effect, and tests of several levels together, have in common.


class Tested(Protocol):
    """A test, as kernels return it."""

    @property
    def statistic(self) -> float:
        """The test statistic, or NaN."""

    @property
    def p_value(self) -> float:
        """The p-value, or NaN."""


class TestedEffect(Tested, Protocol):
    """A test of one effect, with its interval."""

    @property
    def interval(self) -> Limits:
        """The interval of the effect."""


def effect_estimate(effect: float, test: TestedEffect, *, name: str, statistic: str, level: float) -> Estimate:
    """Return one effect compared with zero; the caller counts people and rows and adds what else is known."""
    return Estimate(
        effect=finite(effect),
        effect_name=name,
        null_value=0.0,
        interval=limits(test.interval, level),
        statistic=finite(test.statistic),
        statistic_name=statistic,
        p_value=finite(test.p_value),
        n_sessions=0,
        n_rows=0,
    )


def omnibus_estimate(size: EffectSize, test: Tested, *, statistic: str, df: tuple[float, ...]) -> Estimate:
    """Return a test of several levels together, whose effect is an effect size; the caller counts people and rows."""
    return Estimate(
        effect=size.value,
        effect_name=size.name,
        null_value=0.0,
        interval=size.interval,
        statistic=finite(test.statistic),
        statistic_name=statistic,
        df=finite_df(*df),
        p_value=finite(test.p_value),
        n_sessions=0,
        n_rows=0,
        effect_sizes=(size,),
    )


# What families of analyses have in common: the scales of outcomes they accept, and what they assume.

NUMBERS: frozenset[Scale] = frozenset({"bounded", "continuous", "count", "time"})
RANKED: frozenset[Scale] = NUMBERS | {"ordinal"}
YES_NO: frozenset[Scale] = frozenset({"binary"})
SHARES: frozenset[Scale] = frozenset({"bounded"})
EITHER_WAY = frozenset({"different"})
"""The only direction of tests without one."""
NORMAL_GROUPS = Ref(name="shapiro_wilk", params={"of": "groups"})
NORMAL_RESIDUALS = Ref(name="shapiro_wilk", params={"of": "residuals"})
EQUAL_VARIANCES = Ref(name="levene")
SPHERICITY = Ref(name="mauchly")
