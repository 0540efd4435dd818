"""Estimates: what tests of one effect, and tests of several levels together, have in common."""

from typing import Protocol

from understudy.analyses.kernels.tails import Interval as Limits
from understudy.analyses.results import finite, finite_df, limits
from understudy.schema import EffectSize, Estimate


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
