"""Six paired comparisons of four result sets: differences, intervals, effect sizes and p-values."""

from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from understudy.errors import ResultsError
from understudy.probe.hypotheses import ANALYSES, SETS
from understudy.probe.paired_tests import (
    PairedSets,
    SignFlip,
    TwoWayMean,
    has_no_spread,
    paired_sets,
    sign_flip,
    sign_flip_counts,
    two_way_mean,
)
from understudy.probe.results import Scores
from understudy.roles import Rng
from understudy.schema import Verdicts
from understudy.schema.probe import AnalysisId, Comparison, Correction, Needed, ResultSet, RunTest, SetId, Sign, Sizing
from understudy.statistics.distributions import p_from_t, t_quantile
from understudy.statistics.multiple_comparisons import holm
from understudy.statistics.t_tests import CohenD, cohen_d_from_t, power_one_sample

LEVEL = 0.95
"""Confidence level of every interval."""
ItemTest: TypeAlias = Literal["t", "sign_flip"]
_MOST_SIGNS = 2e10
"""Random signs drawn at most; more would take minutes."""
_N_DRAWS = 9_999


class Compared(NamedTuple):
    """Four result sets and their six comparisons, p-values not corrected yet."""

    n: int
    results: tuple[ResultSet, ...]
    comparisons: tuple[Comparison, ...]
    two_way: tuple[TwoWayMean, ...] = ()
    """Set for repeated runs only."""


def compared(scores: Scores, test: ItemTest, rng: Rng) -> Compared:
    """Compare four rows of scores."""
    sets = paired_sets(scores)
    scale = float(scores.max())
    comparisons = tuple(_comparison(analysis, sets, scale) for analysis in ANALYSES)
    if test == "sign_flip":
        comparisons = tuple(_by_signs(comparison, scores, sets, rng) for comparison in comparisons)
    return Compared(sets.n, tuple(_result_set(set_id, sets) for set_id in SETS), comparisons)


def compared_runs(scores: npt.NDArray[np.float64]) -> Compared:
    """Compare four result sets of repeated runs (runs x 4 x objects), treating both runs and objects as random."""
    if scores.shape[0] < 2:
        raise ResultsError(["There is 1 run; the variance between runs needs at least 2."])
    means = {set_id: two_way_mean(scores[:, row, :]) for row, set_id in enumerate(SETS)}
    n = scores.shape[2]
    results = tuple(_set_of(set_id, mean.estimate, mean.interval, n) for set_id, mean in means.items())
    pairs = {
        analysis: scores[:, SETS.index(a), :] - scores[:, SETS.index(b), :] for analysis, (a, b) in ANALYSES.items()
    }
    estimates = {analysis: two_way_mean(differences) for analysis, differences in pairs.items()}
    comparisons = tuple(
        _over_runs(analysis, estimates[analysis], float(pairs[analysis].std())) for analysis in ANALYSES
    )
    return Compared(n, results, comparisons, tuple(estimates.values()))


def corrected(
    families: Sequence[Compared], alpha: float, *, within: Correction, across: Correction = "none"
) -> list[Compared]:
    """Adjust p-values within each set of six, across several sets (groups), or both, and decide each outcome."""
    p = np.array([[comparison.p for comparison in family.comparisons] for family in families])
    if within == "holm" and across == "holm":
        p = holm(p.ravel()).reshape(p.shape)
    elif within == "holm":
        p = np.array([holm(row) for row in p])
    elif across == "holm":
        p = np.array([holm(column) for column in p.T]).T
    return [
        family._replace(comparisons=tuple(_decided(*pair, alpha) for pair in zip(family.comparisons, row, strict=True)))
        for family, row in zip(families, p.tolist(), strict=True)
    ]


def outcome_of(difference: float, p_adjusted: float, alpha: float) -> Sign:
    """Return the outcome at a threshold: significant when the p-value lies below it."""
    if difference == 0 or not p_adjusted < alpha:
        return "~"
    return ">" if difference > 0 else "<"


def run_tests(family: Compared) -> tuple[RunTest, ...]:
    """Return the tests over runs, with the standard deviations between runs and between objects."""
    return tuple(
        RunTest(
            id=comparison.id, difference=comparison.difference, low=comparison.low, high=comparison.high, standard_error=estimate.standard_error,
            df=estimate.df, t=comparison.t, p=comparison.p, p_adjusted=comparison.p_adjusted, run_sd=estimate.run_sd, item_sd=estimate.item_sd,
            outcome=comparison.outcome,
        )
        for comparison, estimate in zip(family.comparisons, family.two_way, strict=True)
    )  # fmt: skip


def _decided(comparison: Comparison, p_adjusted: float, alpha: float) -> Comparison:
    return comparison.model_copy(
        update={"p_adjusted": p_adjusted, "outcome": outcome_of(comparison.difference, p_adjusted, alpha)}
    )


def _result_set(set_id: SetId, sets: PairedSets) -> ResultSet:
    row = SETS.index(set_id)
    mean = float(sets.means[row])
    margin = t_quantile(sets.n - 1, LEVEL) * (max(0.0, float(sets.variances[row])) / sets.n) ** 0.5
    return _set_of(set_id, mean, (mean - margin, mean + margin), sets.n)


def _set_of(set_id: SetId, mean: float, interval: tuple[float, float], n: int) -> ResultSet:
    low, high = (mean, mean) if np.isnan(interval[0]) else interval
    return ResultSet(
        id=set_id,
        model="M+" if set_id[0] == "P" else "M",
        data="D+" if set_id[1] == "P" else "D",
        mean=mean,
        # Scores and their mean lie between 0 and 1, but with few runs the interval could go beyond.
        low=max(0.0, low),
        high=min(1.0, high),
        n=n,
    )


def _comparison(analysis: AnalysisId, sets: PairedSets, scale: float) -> Comparison:
    left, right = ANALYSES[analysis]
    i, j, n = SETS.index(left), SETS.index(right), sets.n
    difference, variance = float(sets.differences[i, j]), float(sets.difference_variances[i, j])
    # Rounding leaves a tiny variance even if all differences are equal.
    if has_no_spread(variance, n, scale):
        return _without_spread(analysis, difference, n)
    sd = variance**0.5
    error = sd / n**0.5
    t, margin = difference / error, t_quantile(n - 1, LEVEL) * error
    effect: CohenD = cohen_d_from_t(t, n - 1, n**-0.5, level=LEVEL)
    p = p_from_t(t, n - 1)
    return Comparison(
        id=analysis, left=left, right=right, difference=difference, low=difference - margin, high=difference + margin,
        sd=sd, t=t, df=n - 1, p=p, p_adjusted=p, effect=effect.d, effect_low=effect.interval.low,
        effect_high=effect.interval.high, outcome="~",
    )  # fmt: skip


def _without_spread(analysis: AnalysisId, difference: float, n: int) -> Comparison:
    """Return the comparison when all differences are equal: zero is not evidence, others have an exact sign-flip p."""
    left, right = ANALYSES[analysis]
    if difference == 0:
        p, method = 1.0, "none"
        note = f"{left} and {right} score the same on all {n} objects, so there is no difference to test."
    else:
        p, method = 2.0 ** (1 - n), "exact"
        note = (
            f"All {n} differences of {left} and {right} are {difference:.4g}, so t is not defined; p is that "
            "of the exact sign-flip test."
        )
    return Comparison(
        id=analysis, left=left, right=right, difference=difference, low=difference, high=difference, sd=0.0, t=None, p=p,
        p_adjusted=p, effect=None, outcome="~", method=method, note=note,
    )  # fmt: skip


def _by_signs(comparison: Comparison, scores: Scores, sets: PairedSets, rng: Rng) -> Comparison:
    """Replace the p-value of a comparison by that of the sign-flip test; t and interval stay as they are."""
    if comparison.t is None:
        return comparison
    flip = _signs(comparison, scores, sets, rng)
    note = "" if flip.n_draws is None else f"p is from {flip.n_draws:,} drawn sign patterns."
    return comparison.model_copy(
        update={"p": flip.p_value, "p_adjusted": flip.p_value, "method": flip.method, "note": note}
    )


def _signs(comparison: Comparison, scores: Scores, sets: PairedSets, rng: Rng) -> SignFlip:
    i, j = SETS.index(comparison.left), SETS.index(comparison.right)
    if scores.dtype == np.bool_:
        # For 0/1 scores the sum of squared differences is the number of objects that differ.
        apart = round(float(sets.difference_variances[i, j]) * (sets.n - 1) + sets.n * comparison.difference**2)
        up = (apart + round(comparison.difference * sets.n)) // 2
        return sign_flip_counts(up, apart - up)
    if sets.n * _N_DRAWS > _MOST_SIGNS:
        raise ResultsError(
            [
                f"The sign-flip test of {sets.n:,} objects with scores other than 0 and 1 would draw {_N_DRAWS:,} signs for "
                "each; use the t test, which is as good as exact at this size."
            ]
        )
    return sign_flip(scores[i] - scores[j], rng=rng, n_draws=_N_DRAWS)


def _over_runs(analysis: AnalysisId, mean: TwoWayMean, sd: float) -> Comparison:
    left, right = ANALYSES[analysis]
    if np.isnan(mean.statistic):
        note = f"All differences of {left} and {right} are {mean.estimate:.4g} in every run, so nothing can be tested."
        return Comparison(
            id=analysis, left=left, right=right, difference=mean.estimate, low=mean.estimate, high=mean.estimate, sd=0.0,
            t=None, p=1.0, p_adjusted=1.0, effect=None, outcome="~", method="none", note=note,
        )  # fmt: skip
    return Comparison(
        id=analysis, left=left, right=right, difference=mean.estimate, low=mean.interval.low, high=mean.interval.high,
        sd=sd, t=mean.statistic, df=mean.df, p=mean.p_value, p_adjusted=mean.p_value,
        effect=mean.estimate / sd, outcome="~", method="runs", note=_cut_at_zero(mean),
    )  # fmt: skip


def _cut_at_zero(mean: TwoWayMean) -> str:
    """Say what a test over runs assumes where a variance was estimated below zero and counts as zero."""
    if mean.run_sd == 0 and mean.item_sd == 0:
        return (
            "The variances between runs and between objects were both estimated below 0 and count as 0. The test assumes "
            "that neither runs nor objects differ beyond chance."
        )
    if mean.run_sd == 0:
        return (
            "The variance between runs was estimated below 0 and counts as 0. The test assumes that training again "
            "changes nothing beyond chance; few runs can hide that it does."
        )
    if mean.item_sd == 0:
        return (
            "The variance between objects was estimated below 0 and counts as 0. The test assumes that no object is easier "
            "than another for this difference, and its error is that of the runs alone."
        )
    return ""


# How many test objects a comparison needs to detect a difference, given the observed spread.

_MOST = 10**9
_STRICTEST = 6
"""Tests in the family: Holm compares the smallest p-value with alpha / 6."""


class _Target(NamedTuple):
    """What a comparison should achieve."""

    difference: float
    power: float
    alpha: float


def sizing_of(verdicts: Verdicts, difference: float, *, power: float = 0.8) -> Sizing:
    """Return for each comparison how many objects detect a mean difference with the desired power.

    The plan uses the paired t test and the observed standard deviation of the differences. For repeated runs it counts
    the objects of one run and ignores the variance between runs.
    """
    faults = []
    if not difference > 0:
        faults.append(f"The difference to detect is {difference}; it must be more than 0.")
    if not 0 < power < 1:
        faults.append(f"The power is {power}; it must be between 0 and 1, such as 0.8.")
    if verdicts.alpha >= 0.5:
        faults.append(f"The threshold is {verdicts.alpha}; power is planned for thresholds below 0.5.")
    if faults:
        raise ResultsError(faults)
    alpha = verdicts.alpha / (_STRICTEST if verdicts.correction == "holm" else 1)
    needed = tuple(
        _needed(comparison, verdicts.n_objects, _Target(difference, power, alpha)) for comparison in verdicts.analyses
    )
    return Sizing(difference=difference, power=power, alpha=alpha, needed=needed)


def objects_needed(difference: float, sd: float, *, alpha: float = 0.05, power: float = 0.8) -> int | None:
    """Return the smallest number of objects that detects a difference; None beyond a billion.

    >>> objects_needed(0.5, 1.0)
    34
    """
    # Double until the power suffices, then bisect: power grows with n.
    effect, high = difference / sd, 2
    while power_one_sample(effect, high, alpha=alpha) < power:
        high *= 2
        if high > _MOST:
            return None
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        if middle >= 2 and power_one_sample(effect, middle, alpha=alpha) >= power:
            high = middle
        else:
            low = middle
    return high


def _needed(comparison: Comparison, n: int, target: _Target) -> Needed:
    difference, power, alpha = target
    if comparison.sd == 0:
        return Needed(analysis=comparison.id, sd=0.0, n_needed=None, power_now=None, smallest_now=None)
    return Needed(
        analysis=comparison.id,
        sd=comparison.sd,
        n_needed=objects_needed(difference, comparison.sd, alpha=alpha, power=power),
        power_now=min(1.0, power_one_sample(difference / comparison.sd, n, alpha=alpha)),
        smallest_now=comparison.sd * _smallest_effect(n, alpha, power),
    )


def _smallest_effect(n: int, alpha: float, power: float) -> float:
    low, high = 0.0, 1.0
    while power_one_sample(high, n, alpha=alpha) < power:
        low, high = high, 2 * high
    # Sixty bisections exhaust the precision of a float.
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if power_one_sample(middle, n, alpha=alpha) < power else (low, middle)
    return high
