"""Sphericity of repeated measures: Mauchly's test and the epsilon corrections."""

from typing import NamedTuple

import numpy as np

from understudy.analyses.kernels.tails import p_from_f
from understudy.analyses.kernels.vectors import Floats
from understudy.deferred.scipy import linalg, stats


class Sphericity(NamedTuple):
    """Mauchly's test and both epsilons, as in R's `mauchly.test` and `anova(mlm, test="Spherical")`.

    `huynh_feldt` is uncapped as R prints it (it may exceed 1); p-values use at most 1. With two levels,
    sphericity cannot fail: both epsilons are 1 and the test is NaN. With fewer error degrees of freedom
    than contrasts, Mauchly's test is NaN.
    """

    mauchly_w: float
    mauchly_p: float
    greenhouse_geisser: float
    huynh_feldt: float


def orthonormal_contrasts(n_levels: int) -> Floats:
    """Return Helmert contrasts as orthonormal columns, shape (n_levels, n_levels - 1).

    Examples
    --------
    >>> orthonormal_contrasts(2).ravel().round(3)
    array([ 0.707, -0.707])
    """
    return np.asarray(linalg.helmert(n_levels), dtype=np.float64).T


def sphericity(products: Floats, df: int) -> Sphericity:
    """Test sphericity from the error sums of products of orthonormal contrasts.

    With several groups `products` is pooled within groups and `df` is N - groups. Huynh–Feldt is
    ((df + 1) q ε - 2) / (q (df - q ε)): the 1976 formula for one group, Lecoutre's (1991) correction
    of it for several. Mauchly's p has the second-order term of Anderson (2003), 10.7.

    Parameters
    ----------
    products
        Sums of squares and products, shape (q, q) for q = levels - 1.
    """
    q = products.shape[0]
    if q == 1:
        return Sphericity(1.0, float("nan"), 1.0, 1.0)
    trace = float(np.trace(products))
    # Greenhouse and Geisser's (1959) epsilon, with Σλ and Σλ² from the trace and the squared entries.
    epsilon = trace**2 / (q * float((products**2).sum()))
    gap = df - q * epsilon
    # With as few people as this, the gap is zero but for rounding, whose sign depends on the order of levels.
    huynh_feldt = ((df + 1) * q * epsilon - 2) / (q * gap) if gap > 1e-9 * df else 1.0
    w, p_value = _mauchly(products, df) if df >= q else (float("nan"), float("nan"))
    return Sphericity(w, p_value, epsilon, huynh_feldt)


def corrected_p(f: float, df: tuple[float, float], epsilon: float) -> float:
    """Return the p-value of F with both degrees of freedom times epsilon, which is capped at 1."""
    shrink = min(epsilon, 1.0)
    return p_from_f(f, (df[0] * shrink, df[1] * shrink))


def _mauchly(products: Floats, df: int) -> tuple[float, float]:
    q = products.shape[0]
    sign, log_determinant = np.linalg.slogdet(products)
    # A singular matrix is as far from spherical as possible.
    if sign <= 0:
        return 0.0, 0.0
    log_w = float(log_determinant) - q * float(np.log(np.trace(products) / q))
    # Anderson's ρ makes -df ρ log W nearly chi-square.
    rho = 1 - (2 * q**2 + q + 2) / (6 * q * df)
    second = (q + 2) * (q - 1) * (q - 2) * (2 * q**3 + 6 * q**2 + 3 * q + 2) / (288 * (df * q * rho) ** 2)
    chi, chi_df = -df * rho * log_w, q * (q + 1) / 2 - 1
    first_order = float(stats.chi2.sf(chi, chi_df))
    p_value = first_order + second * (float(stats.chi2.sf(chi, chi_df + 4)) - first_order)
    return float(np.exp(log_w)), p_value
