"""How many test objects a comparison needs to detect a difference, given the observed spread."""

from typing import NamedTuple

from understudy.analyses.kernels.power_t import power_one_sample
from understudy.errors import ResultsError
from understudy.schema import Verdicts
from understudy.schema.probe import Comparison, Needed, Sizing

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
