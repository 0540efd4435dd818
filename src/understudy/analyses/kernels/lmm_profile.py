"""Profiled likelihood of a linear mixed model, its slope and its curvature, in q × q algebra.

With V = σ² (I + Σ φ_j Z_j Z_j'), the fixed effects and σ² have closed forms given the variance ratios φ, so
only φ is searched (Bates et al. 2015, with variances instead of standard deviations: the likelihood then has
a slope at φ = 0, and a variance of zero is found as an ordinary bound).
"""

from typing import NamedTuple

import numpy as np

from understudy.analyses.kernels.crossed import Crossed, factor_sums, level_counts, level_sums
from understudy.analyses.kernels.vectors import Floats


class Moments(NamedTuple):
    """Everything that the likelihood needs of the data: products of Z, X and y. The last column of `za` belongs to y."""

    design: Crossed
    zz: Floats
    za: Floats
    aa: Floats
    n: int
    p: int
    is_restricted: bool

    @property
    def divisor(self) -> int:
        """Return the divisor of the residual sum of squares: n - p under REML, n under ML."""
        return self.n - self.p if self.is_restricted else self.n


class Profile(NamedTuple):
    """The likelihood at given variance ratios; H = V / σ², and P projects the fixed effects out of H⁻¹."""

    deviance: float
    coefficients: Floats
    xhx_inverse: Floats
    residual: float
    zhx: Floats
    zpy: Floats
    zpz: Floats
    curved: Floats


def moments(y: Floats, x: Floats, design: Crossed, *, is_restricted: bool) -> Moments:
    """Return the products of Z, X and y that the likelihood needs."""
    columns = np.column_stack([x, y])
    return Moments(
        design=design,
        zz=level_counts(design, np.ones(y.size)),
        za=level_sums(design, columns),
        aa=columns.T @ columns,
        n=y.size,
        p=x.shape[1],
        is_restricted=is_restricted,
    )


def profile(ratios: Floats, data: Moments) -> Profile:
    """Evaluate -2 log-likelihood at variance ratios φ, one per factor, with the parts its derivatives need."""
    p, per_level = data.p, ratios[data.design.factors]
    system = np.eye(per_level.size) + data.zz * per_level
    solved = np.asarray(np.linalg.solve(system, np.column_stack([data.zz, data.za])), dtype=np.float64)
    zhz, zha = solved[:, : per_level.size], solved[:, per_level.size :]
    # Woodbury's identity: only the q × q system is solved, however many answers there are.
    aha = data.aa - (per_level[:, None] * data.za).T @ zha
    xhx_inverse = np.asarray(np.linalg.inv(aha[:p, :p]), dtype=np.float64)
    coefficients = xhx_inverse @ aha[:p, p]
    residual = float(aha[p, p] - aha[:p, p] @ coefficients)
    zhx = zha[:, :p]
    zpz = zhz - zhx @ xhx_inverse @ zhx.T
    deviance = np.linalg.slogdet(system)[1]
    if data.is_restricted:
        deviance += np.linalg.slogdet(aha[:p, :p])[1]
    deviance += data.divisor * (1 + np.log(2 * np.pi * residual / data.divisor))
    return Profile(
        deviance=float(deviance),
        coefficients=coefficients,
        xhx_inverse=xhx_inverse,
        residual=residual,
        zhx=zhx,
        zpy=zha[:, p] - zhx @ coefficients,
        zpz=zpz,
        curved=zpz if data.is_restricted else zhz,
    )


def slope(point: Profile, data: Moments) -> Floats:
    """Return the derivative of the profiled deviance by each variance ratio."""
    spread = factor_sums(data.design, np.diag(point.curved))
    return spread - data.divisor * factor_sums(data.design, point.zpy**2) / point.residual


def curvature(point: Profile, data: Moments) -> Floats:
    """Return second derivatives of -2 log-likelihood by (φ_1, …, φ_m, σ²), without profiling σ² out."""
    m, factors = data.design.n_factors, data.design.factors
    variance = point.residual / data.divisor
    member = np.eye(m)[factors]
    pull = member * point.zpy[:, None]
    hessian = np.empty((m + 1, m + 1))
    hessian[:m, :m] = 2 * pull.T @ point.zpz @ pull / variance - member.T @ point.curved**2 @ member
    hessian[m, :m] = hessian[:m, m] = factor_sums(data.design, point.zpy**2) / variance**2
    hessian[m, m] = data.divisor / variance**2
    return hessian
