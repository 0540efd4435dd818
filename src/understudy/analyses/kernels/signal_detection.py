"""Signal detection: sensitivity d' and criterion c from yes-or-no answers to signal and noise."""

from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from understudy.analyses.kernels.vectors import Floats
from understudy.deferred.scipy import special

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
