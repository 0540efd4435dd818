"""Signal detection and calibration of confidence."""

from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from understudy.deferred.scipy import special, stats
from understudy.statistics.arrays import Floats, pairs


class Calibration(NamedTuple):
    """Scores of confidence as a probability of being right.

    `brier` is the mean squared error and `overconfidence` the mean confidence less the share right. `ece` weighs the
    gap of each bin by its share of answers; `discrimination` is the chance that a right answer has the higher
    confidence of a random right and wrong one (AUROC, NaN where all are right or all are wrong).
    """

    brier: float
    overconfidence: float
    ece: float
    discrimination: float
    accuracy: float
    mean_confidence: float
    n: int


def calibration(confidence: npt.ArrayLike, is_right: npt.ArrayLike, *, n_bins: int = 10) -> Calibration:
    """Score confidence between 0 and 1 against right (1) and wrong (0) answers.

    Brier (1950); the expected calibration error has equally wide bins, closed above (Naeini et al. 2015; Guo et al.
    2017). It is never negative and grows with fewer answers per bin, so compare it between equal numbers of answers.

    Examples
    --------
    >>> found = calibration([0.9, 0.8, 0.6, 0.7], [1, 1, 0, 0])
    >>> round(found.brier, 4), round(found.overconfidence, 4), round(found.ece, 4), found.discrimination
    (0.225, 0.25, 0.4, 1.0)
    """
    stated, right = pairs(confidence, is_right, least=1)
    if stated.min() < 0 or stated.max() > 1:
        strange = stated[(stated < 0) | (stated > 1)][0]
        raise ValueError(f"A confidence is {strange:g}; a probability must be between 0 and 1.")
    return Calibration(
        brier=float(np.mean((stated - right) ** 2)),
        overconfidence=float(stated.mean() - right.mean()),
        ece=_expected_error(stated, right, n_bins),
        discrimination=_discrimination(stated, right),
        accuracy=float(right.mean()),
        mean_confidence=float(stated.mean()),
        n=stated.size,
    )


class Bin(NamedTuple):
    """One bin of a calibration curve."""

    mean_confidence: float
    accuracy: float
    n: int


def calibration_bins(confidence: Floats, is_right: Floats, n_bins: int) -> list[Bin]:
    """Return the bins that hold an answer, from the least to the most confident."""
    # Rounding keeps 0.3 in the bin that ends at 0.3, which 0.3 * 10 misses by a bit.
    numbers = np.clip(np.ceil(np.round(confidence * n_bins, 9)) - 1, 0, n_bins - 1)
    return [
        Bin(float(confidence[numbers == k].mean()), float(is_right[numbers == k].mean()), int((numbers == k).sum()))
        for k in np.unique(numbers)
    ]


def _expected_error(confidence: Floats, is_right: Floats, n_bins: int) -> float:
    bins = calibration_bins(confidence, is_right, n_bins)
    return sum(each.n * abs(each.accuracy - each.mean_confidence) for each in bins) / confidence.size


def _discrimination(confidence: Floats, is_right: Floats) -> float:
    right, wrong = confidence[is_right == 1], confidence[is_right == 0]
    if not right.size or not wrong.size:
        return float("nan")
    # By ranks (Hanley & McNeil 1982): a table of all pairs would not fit into memory for many answers.
    ranks = stats.rankdata(np.concatenate([right, wrong]))[: right.size]
    return float((ranks.sum() - right.size * (right.size + 1) / 2) / (right.size * wrong.size))


# Signal detection: sensitivity d' and criterion c from yes-or-no answers to signal and noise.

RateCorrection = Literal["log_linear", "extreme", "none"]


class Sensitivity(NamedTuple):
    """d' and c of each person, with the rates that they come from; infinite for rates of 0 and 1."""

    d_prime: Floats
    criterion: Floats
    hit_rate: Floats
    false_alarm_rate: Floats


class YesCounts(NamedTuple):
    """How often each person said yes, to how many signals and to how many trials without one."""

    hits: npt.ArrayLike
    signals: npt.ArrayLike
    false_alarms: npt.ArrayLike
    noises: npt.ArrayLike


def sensitivity(counts: YesCounts, *, correction: RateCorrection = "log_linear") -> Sensitivity:
    """Return d' = z(H) - z(F) and c = -(z(H) + z(F)) / 2 (Macmillan & Creelman 2005).

    log_linear adds 0.5 to every count of yes and 1 to every count of trials (Hautus 1995), so that d' stays finite;
    extreme only replaces 0 by 1 / (2 n) and 1 by 1 - 1 / (2 n) (Macmillan & Kaplan 1985). Both bias d' a little
    towards 0.

    Examples
    --------
    >>> found = sensitivity(YesCounts([18], [20], [6], [20]))
    >>> found.d_prime.round(4), found.criterion.round(4)
    (array([1.677]), array([-0.3413]))
    """
    hits, signals, false_alarms, noises = (np.asarray(count, dtype=np.float64) for count in counts)
    if min(signals.min(initial=1), noises.min(initial=1)) < 1:
        raise ValueError("d' needs at least one signal and one trial without a signal of each person.")
    hit_rate, false_alarm_rate = _rate(hits, signals, correction), _rate(false_alarms, noises, correction)
    z_hit, z_false_alarm = special.ndtri(hit_rate), special.ndtri(false_alarm_rate)
    # Uncorrected rates of 0 and 1 give infinities, whose sum may be unknown.
    with np.errstate(invalid="ignore"):
        return Sensitivity(z_hit - z_false_alarm, -(z_hit + z_false_alarm) / 2, hit_rate, false_alarm_rate)


def _rate(n_yes: Floats, n: Floats, correction: RateCorrection) -> Floats:
    if correction == "log_linear":
        corrected: Floats = (n_yes + 0.5) / (n + 1)
        return corrected
    rate: Floats = n_yes / n
    return np.clip(rate, 1 / (2 * n), 1 - 1 / (2 * n)) if correction == "extreme" else rate
