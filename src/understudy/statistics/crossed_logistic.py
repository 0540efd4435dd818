"""Logistic models with crossed random intercepts, by Laplace's method over bordered systems.

No answer belongs to two people, so the block of the factor with the most levels is diagonal. It is eliminated first, and
only the Schur complement of the other factors is dense: 20,000 people and 20 items need a 20 x 20 Cholesky root, where
the whole system would take 3 GB. lme4 reaches the same by a sparse Cholesky root (Bates et al. 2015, section 5).
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from understudy.deferred.scipy import linalg, optimize, special
from understudy.statistics.arrays import Bools, Floats, Ints, matrix, one_thread, vector
from understudy.statistics.regression import check_design, is_separated

# Crossed random intercepts: which level of each grouping factor every row belongs to.


class Crossed(NamedTuple):
    """The incidence matrix Z of all factors side by side, stored as codes.

    `codes` has one row per answer and one column per factor, with the column numbers of Z; `factors` gives for
    each column of Z the factor it belongs to.
    """

    codes: Ints
    factors: Ints

    @property
    def n_levels(self) -> int:
        """Return the number of columns of Z."""
        return int(self.factors.size)

    @property
    def n_factors(self) -> int:
        """Return the number of grouping factors."""
        return int(self.codes.shape[1])


def crossed_from_labels(groups: Sequence[npt.ArrayLike], n: int) -> Crossed:
    """Code the labels of one or more grouping factors, each with 2 to n - 1 levels for n rows.

    Examples
    --------
    >>> design = crossed_from_labels([["a", "a", "b"], [7, 8, 8]], 3)
    >>> design.codes.tolist(), design.factors.tolist()
    ([[0, 2], [0, 3], [1, 3]], [0, 0, 1, 1])
    """
    if not groups:
        raise ValueError("No grouping factor was given; a mixed model needs at least one.")
    columns, factors, start = [], [], 0
    for number, labels in enumerate(groups):
        names, codes = np.unique(np.asarray(labels), return_inverse=True)
        if codes.shape != (n,):
            raise ValueError(f"Grouping factor {number + 1} labels {codes.size} rows; {n} are needed.")
        if not 2 <= names.size < n:
            raise ValueError(
                f"People or items make {names.size} group{'s' * (names.size != 1)} for {n} answers; a mixed model needs at least 2 groups, "
                "and fewer groups than answers."
            )
        columns.append(codes.astype(np.int64) + start)
        factors.append(np.full(names.size, number, dtype=np.int64))
        start += int(names.size)
    return Crossed(np.column_stack(columns), np.concatenate(factors))


def level_sums(design: Crossed, columns: Floats) -> Floats:
    """Return Z'A: the sum of each column of A within each level."""
    sums = np.empty((design.n_levels, columns.shape[1]))
    # Z is never built: a bincount per column takes its place.
    for j in range(columns.shape[1]):
        sums[:, j] = sum(
            np.bincount(codes, weights=columns[:, j], minlength=design.n_levels) for codes in design.codes.T
        )
    return sums


def factor_sums(design: Crossed, per_level: Floats) -> Floats:
    """Return the sum of a quantity per level over the levels of each factor."""
    sums = np.bincount(design.factors, weights=per_level, minlength=design.n_factors)
    return sums.astype(np.float64, copy=False)


class Blocks(NamedTuple):
    """Z'WZ: the diagonal block of the widest factor, the dense block of all others, and the block between them."""

    wide: Floats
    across: Floats
    """One row per level of the other factors, one column per level of the widest."""
    narrow: Floats
    is_wide: Bools
    """Which columns of Z belong to the widest factor."""

    def diagonal(self) -> Floats:
        """Return the diagonal of Z'WZ, in the order of Z's columns."""
        return joined(self.is_wide, self.wide, np.diag(self.narrow))


class Bordered(NamedTuple):
    """I + S Z'WZ S for a diagonal S, factored: the wide block, the border divided by it, and the root of the rest."""

    blocks: Blocks
    scale: Floats
    wide: Floats
    border: Floats
    root: Floats

    def log_determinant(self) -> float:
        """Return the logarithm of the determinant."""
        return float(np.log(self.wide).sum() + 2 * np.log(np.diag(self.root)).sum())

    def solve(self, right: Floats) -> Floats:
        """Solve the system for one right-hand side."""
        is_wide = self.blocks.is_wide
        top, bottom = right[is_wide], right[~is_wide]
        narrow = _cho_solve(self.root, bottom - self.border @ top)
        return joined(is_wide, top / self.wide - self.border.T @ narrow, narrow)

    def spread(self) -> "Spread":
        """Return the parts of S (I + S Z'WZ S)⁻¹ S that rows of Z meet: the conditional covariance of the modes."""
        is_wide = self.blocks.is_wide
        s_wide, s_narrow = self.scale[is_wide], self.scale[~is_wide]
        inverse = _cho_solve(self.root, np.eye(s_narrow.size))
        pulled = inverse @ self.border
        return Spread(
            wide=s_wide**2 * (1 / self.wide + (self.border * pulled).sum(axis=0)),
            across=-s_narrow[:, None] * pulled * s_wide,
            narrow=s_narrow[:, None] * inverse * s_narrow,
        )

    def shrinkage(self) -> Floats:
        """Return the diagonal of Z'WZ S (I + S Z'WZ S)⁻¹ S Z'WZ."""
        blocks, is_wide = self.blocks, self.blocks.is_wide
        s_wide, s_narrow = self.scale[is_wide], self.scale[~is_wide]
        # Each entry is x'M⁻¹x with a column x of S Z'WZ; M = LL' makes it the squared length of L⁻¹x.
        of_wide = (s_wide * blocks.wide) ** 2 / self.wide
        of_wide += _squares(self.root, s_narrow[:, None] * blocks.across / self.wide)
        of_narrow = ((s_wide * blocks.across) ** 2 / self.wide).sum(axis=1)
        rest = s_narrow[:, None] * blocks.narrow - (self.border * s_wide) @ blocks.across.T
        return joined(is_wide, of_wide, of_narrow + _squares(self.root, rest))


class Spread(NamedTuple):
    """A symmetric matrix over levels: the diagonal of its wide block, and its other blocks."""

    wide: Floats
    across: Floats
    narrow: Floats

    def by_row(self, design: Crossed) -> Floats:
        """Return the diagonal of Z (this) Z', from the few levels of each row."""
        place = _places(design)
        total = self.wide[place.wide] + 2 * self.across[place.narrow, place.wide[:, None]].sum(axis=1)
        total += self.narrow[place.narrow[:, :, None], place.narrow[:, None, :]].sum(axis=(1, 2))
        return np.asarray(total, dtype=np.float64)


class _Places(NamedTuple):
    """Where each row of Z has its ones: in the wide block, and in the block of the other factors."""

    wide: Ints
    narrow: Ints
    is_wide: Bools


def level_blocks(design: Crossed, weights: Floats) -> Blocks:
    """Return Z'WZ in blocks."""
    place = _places(design)
    n_wide = int(place.is_wide.sum())
    n_narrow = design.n_levels - n_wide
    across, narrow = np.zeros((n_narrow, n_wide)), np.zeros((n_narrow, n_narrow))
    for codes in place.narrow.T:
        # Each pair of levels gets one number, so that a single bincount fills the block.
        across += _table(codes * n_wide + place.wide, weights, (n_narrow, n_wide))
        for others in place.narrow.T:
            narrow += _table(codes * n_narrow + others, weights, (n_narrow, n_narrow))
    wide = np.bincount(place.wide, weights=weights, minlength=n_wide).astype(np.float64)
    return Blocks(wide, across, narrow, place.is_wide)


def factored(blocks: Blocks, scale: Floats) -> Bordered:
    """Factor I + S Z'WZ S with S = diag(scale)."""
    s_wide, s_narrow = scale[blocks.is_wide], scale[~blocks.is_wide]
    wide = 1 + s_wide**2 * blocks.wide
    scaled = s_narrow[:, None] * blocks.across * s_wide
    border = scaled / wide
    rest = np.eye(s_narrow.size) + s_narrow[:, None] * blocks.narrow * s_narrow - border @ scaled.T
    return Bordered(blocks, scale, wide, border, linalg.cholesky(rest, lower=True) if rest.size else rest)


def joined(is_wide: Bools, wide: Floats, narrow: Floats) -> Floats:
    """Return values of both parts in the order of Z's columns."""
    values = np.empty(is_wide.size)
    values[is_wide], values[~is_wide] = wide, narrow
    return values


def _places(design: Crossed) -> _Places:
    widest = int(np.bincount(design.factors).argmax())
    is_wide = design.factors == widest
    rank = np.where(is_wide, np.cumsum(is_wide), np.cumsum(~is_wide)) - 1
    return _Places(rank[design.codes[:, widest]], rank[np.delete(design.codes, widest, axis=1)], is_wide)


def _table(cells: Ints, weights: Floats, shape: tuple[int, int]) -> Floats:
    return np.bincount(cells, weights=weights, minlength=shape[0] * shape[1]).reshape(shape).astype(np.float64)


def _squares(root: Floats, columns: Floats) -> Floats:
    if not root.size:
        return np.zeros(columns.shape[1])
    return np.asarray((linalg.solve_triangular(root, columns, lower=True) ** 2).sum(axis=0), dtype=np.float64)


def _cho_solve(root: Floats, right: Floats) -> Floats:
    # SciPy refuses an empty system, which a single factor leaves.
    return np.asarray(linalg.cho_solve((root, True), right), dtype=np.float64) if root.size else right


# Laplace likelihood of a logistic mixed model with crossed random intercepts, and its slope.
#
# With b the conditional modes, -2 log-likelihood ≈ -2 log p(y | b) + b'Φ⁻¹b + log |I + Φ Z'WZ|: what lme4's glmer
# maximizes with nAGQ = 1 (Bates et al. 2015), over variances φ in place of standard deviations.


class BinaryData(NamedTuple):
    """Answers counted over rows with the same predictors and groups: the sufficient statistics."""

    successes: Floats
    trials: Floats
    x: Floats
    design: Crossed


class Laplace(NamedTuple):
    """-2 log-likelihood, its slope by (β, φ), and the conditional modes on the unit scale."""

    deviance: float
    slope: Floats
    unit_modes: Floats


class _Mode(NamedTuple):
    unit: Floats
    eta: Floats
    system: Bordered


def counted(y: Floats, x: Floats, design: Crossed) -> BinaryData:
    """Count successes and trials over equal rows."""
    # Equal rows differ only in their answers, so counts are enough.
    keys = np.column_stack([design.codes.astype(np.float64), x])
    _, first, inverse = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    successes = np.bincount(inverse, weights=y, minlength=first.size).astype(np.float64)
    trials = np.bincount(inverse, minlength=first.size).astype(np.float64)
    return BinaryData(successes, trials, x[first], Crossed(design.codes[first], design.factors))


def laplace(parameters: Floats, data: BinaryData, start: Floats) -> Laplace:
    """Evaluate the Laplace deviance at (β, φ), searching the modes from `start`."""
    p = data.x.shape[1]
    beta, ratios = parameters[:p], parameters[p:]
    scale = np.sqrt(ratios)[data.design.factors]
    mode = _find_mode(data.x @ beta, scale, data, start)
    share = special.expit(mode.eta)
    residual = data.successes - data.trials * share
    fit = data.successes @ mode.eta - data.trials @ np.logaddexp(0, mode.eta)
    deviance = -2 * float(fit) + float(mode.unit @ mode.unit) + mode.system.log_determinant()
    return Laplace(deviance, _slope(data, mode, residual), mode.unit)


def _slope(data: BinaryData, mode: _Mode, residual: Floats) -> Floats:
    """Return the exact derivative; the log-determinant changes with the modes too, so both paths count."""
    design, system = data.design, mode.system
    share = special.expit(mode.eta)
    weight = data.trials * share * (1 - share)
    # The diagonal of Z (Φ⁻¹ + Z'WZ)⁻¹ Z'.
    drift = weight * (1 - 2 * share) * system.spread().by_row(design)
    pull = level_sums(design, drift[:, None])[:, 0]
    moved = system.scale * system.solve(system.scale * pull)
    by_row = weight * moved[design.codes].sum(axis=1)
    by_beta = data.x.T @ (drift - by_row - 2 * residual)
    push = level_sums(design, residual[:, None])[:, 0]
    curved = system.blocks.diagonal() - system.shrinkage()
    by_level = curved - push**2 + (pull - level_sums(design, by_row[:, None])[:, 0]) * push
    return np.concatenate([by_beta, factor_sums(design, by_level)])


def _find_mode(fixed: Floats, scale: Floats, data: BinaryData, start: Floats) -> _Mode:
    """Maximize the penalized likelihood over unit modes with Newton steps, halved where they overshoot."""
    # A level without variance has a mode of zero, whatever the start.
    unit = np.where(scale > 0, start, 0.0)
    penalty, eta = _penalty(unit, fixed, scale, data)
    for _ in range(100):
        share = special.expit(eta)
        system = factored(level_blocks(data.design, data.trials * share * (1 - share)), scale)
        push = level_sums(data.design, (data.successes - data.trials * share)[:, None])[:, 0]
        step = system.solve(scale * push - unit)
        if np.abs(step).max() < 1e-10:
            return _Mode(unit, eta, system)
        size = 1.0
        candidate, candidate_eta = _penalty(unit + step, fixed, scale, data)
        while candidate > penalty + 1e-12 * abs(penalty) and size > 1e-6:
            size /= 2
            candidate, candidate_eta = _penalty(unit + size * step, fixed, scale, data)
        unit, penalty, eta = unit + size * step, candidate, candidate_eta
    return _Mode(unit, eta, system)


def _penalty(unit: Floats, fixed: Floats, scale: Floats, data: BinaryData) -> tuple[float, Floats]:
    eta = fixed + (scale * unit)[data.design.codes].sum(axis=1)
    fit = data.successes @ eta - data.trials @ np.logaddexp(0, eta)
    return float(unit @ unit / 2 - fit), eta


# Logistic mixed model with crossed random intercepts, by the Laplace approximation.


class LogisticMixedFit(NamedTuple):
    """A fitted logistic mixed model in log-odds; test it with `wald.log_odds_test`.

    `variances` and `modes` have one entry per grouping factor; modes are the conditional intercepts of its
    levels, by sorted label. `is_boundary` means that a variance is zero. With perfect separation, every number is NaN.
    """

    coefficients: Floats
    standard_errors: Floats
    covariance: Floats
    variances: Floats
    log_likelihood: float
    modes: tuple[Floats, ...]
    n: int
    is_boundary: bool
    is_converged: bool
    is_separated: bool


@one_thread
def fit_glmm(answers: npt.ArrayLike, predictors: npt.ArrayLike, groups: Sequence[npt.ArrayLike]) -> LogisticMixedFit:
    """Fit yes/no answers as lme4's `glmer(y ~ x + (1 | a) + (1 | b), family = binomial)` with nAGQ = 1.

    Standard errors come from the curvature of the Laplace likelihood in all parameters, as glmer's. `predictors`
    has a column of ones; `groups` labels each grouping factor, one label per answer.

    Examples
    --------
    >>> people = np.repeat(np.arange(6), 10)
    >>> yes = np.repeat([9, 7, 3, 5, 2, 8], 10) > np.tile(np.arange(10), 6)
    >>> fit = fit_glmm(yes, np.ones((60, 1)), [people])
    >>> fit.coefficients.round(3), fit.variances.round(3)
    (array([0.327]), array([0.967]))
    """
    y, x = vector(answers, "answers", least=3), matrix(predictors, "predictors")
    check_design(y, x)
    design = crossed_from_labels(groups, y.size)
    # Checked first, because the search would run towards infinity.
    if is_separated(y, x):
        return _separated(x.shape[1], [int((design.factors == j).sum()) for j in range(design.n_factors)], y.size)
    data = counted(y, x, design)
    surface = _Surface(data)
    start = np.concatenate([np.zeros(x.shape[1]), np.ones(design.n_factors)])
    bounds = [(None, None)] * x.shape[1] + [(0, None)] * design.n_factors
    optimum = optimize.minimize(
        surface.value_and_slope,
        start,
        jac=True,
        method="L-BFGS-B",
        bounds=bounds,
        options={"ftol": 1e-13, "gtol": 1e-6, "maxiter": 500},
    )
    return _result(np.asarray(optimum.x, dtype=np.float64), surface, y.size)


class _Surface:
    """The deviance as a function of its parameters; each search for modes starts at the previous ones."""

    def __init__(self, data: BinaryData) -> None:
        self.data = data
        self._modes = np.zeros(data.design.n_levels)

    def at(self, parameters: Floats) -> Laplace:
        point = laplace(parameters, self.data, self._modes)
        self._modes = point.unit_modes
        return point

    def value_and_slope(self, parameters: Floats) -> tuple[float, Floats]:
        point = self.at(parameters)
        return point.deviance, point.slope

    def curvature(self, parameters: Floats, free: Bools) -> Floats:
        """Return second derivatives of the free parameters by central differences of the exact slope."""
        p = self.data.x.shape[1]
        columns = []
        for j in np.flatnonzero(free):
            width = 1e-4 * max(1.0, abs(parameters[j]))
            # The step must not reach below zero, where the variance is undefined.
            width = min(width, parameters[j] / 4) if j >= p else width
            step = np.zeros(parameters.size)
            step[j] = width
            rise = self.at(parameters + step).slope - self.at(parameters - step).slope
            columns.append(rise[free] / (2 * width))
        hessian = np.column_stack(columns)
        # Finite differences are slightly asymmetric; the true Hessian is not.
        symmetric: Floats = (hessian + hessian.T) / 2
        return symmetric


def _result(parameters: Floats, surface: _Surface, n: int) -> LogisticMixedFit:
    p = surface.data.x.shape[1]
    is_variance = np.arange(parameters.size) >= p
    # The search stops just above the bound; such a variance is zero.
    parameters = np.where(is_variance & (parameters < 1e-9), 0.0, parameters)
    free = ~is_variance | (parameters > 0)
    # A few Newton steps bring the slope closer to zero than the search does.
    for _ in range(3):
        hessian = surface.curvature(parameters, free)
        if np.linalg.eigvalsh(hessian)[0] <= 0:
            break
        slope = surface.at(parameters).slope[free]
        candidate = parameters.copy()
        candidate[free] -= np.linalg.solve(hessian, slope)
        if (candidate[is_variance] < 0).any():
            break
        parameters = candidate
        if np.abs(slope).max() < 1e-7:
            break
    point = surface.at(parameters)
    is_converged = bool(np.linalg.eigvalsh(hessian)[0] > 0 and np.abs(point.slope[free]).max() < 1e-3)
    # The deviance is -2 log-likelihood, so its Hessian is twice the information.
    covariance = np.asarray(2 * np.linalg.inv(hessian)[:p, :p], dtype=np.float64)
    ratios, factors = parameters[p:], surface.data.design.factors
    modes = np.sqrt(ratios)[factors] * point.unit_modes
    with np.errstate(invalid="ignore"):
        errors = np.sqrt(np.diag(covariance))
    return LogisticMixedFit(
        coefficients=parameters[:p],
        standard_errors=errors,
        covariance=covariance,
        variances=ratios,
        log_likelihood=-point.deviance / 2,
        modes=tuple(modes[factors == j] for j in range(ratios.size)),
        n=n,
        is_boundary=bool((ratios == 0).any()),
        is_converged=is_converged,
        is_separated=False,
    )


def _separated(p: int, levels: list[int], n: int) -> LogisticMixedFit:
    nan = float("nan")
    return LogisticMixedFit(
        coefficients=np.full(p, nan),
        standard_errors=np.full(p, nan),
        covariance=np.full((p, p), nan),
        variances=np.full(len(levels), nan),
        log_likelihood=nan,
        modes=tuple(np.full(count, nan) for count in levels),
        n=n,
        is_boundary=False,
        is_converged=False,
        is_separated=True,
    )
