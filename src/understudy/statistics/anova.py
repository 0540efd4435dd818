"""Analysis of variance: one factor and several, between and within people, aligned ranks and sphericity."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from understudy.deferred.scipy import linalg, stats
from understudy.statistics.arrays import Floats, Ints, group_vectors, is_negligible, matrix, vector
from understudy.statistics.distributions import UNKNOWN, Interval, eta_squared_interval, p_from_f


def aligned_ranks(values: npt.ArrayLike, factors: Sequence[Sequence[str]], tested: tuple[int, ...]) -> Floats:
    """Rank the residuals of the cells plus the estimated effect of some factors (Wobbrock et al. 2011).

    The effect is the mean of its cells, less all effects that it contains. Only that effect may be read off an
    analysis of variance of these ranks.

    Examples
    --------
    >>> aligned_ranks([1, 2, 5, 9], [["a", "a", "b", "b"], ["x", "y", "x", "y"]], (0,))
    array([1.5, 1.5, 3.5, 3.5])
    """
    y = vector(values, "values")
    codes = np.stack([np.unique(np.asarray(labels, dtype=str), return_inverse=True)[1] for labels in factors], axis=1)
    residual = y - _cell_means(codes, y)
    effect = np.zeros_like(y)
    # The inclusion-exclusion sum over all smaller sets of factors isolates the effect itself.
    for size in range(len(tested) + 1):
        for members in combinations(tested, size):
            effect += (-1) ** (len(tested) - size) * _cell_means(codes[:, list(members)], y)
    aligned = residual + effect
    # Equal values differ in their last bits after sums in another order; ranks would take them for different.
    digits = 10 - int(np.floor(np.log10(max(float(np.abs(aligned).max()), 1e-300))))
    ranks: Floats = stats.rankdata(np.round(aligned, min(digits, 300)))
    return ranks


def _cell_means(codes: Ints, y: Floats) -> Floats:
    """Return the mean of each row's cell; without any factor, the mean of all."""
    if not codes.shape[1]:
        return np.full_like(y, y.mean())
    cells = np.unique(codes, axis=0, return_inverse=True)[1].ravel()
    means: Floats = (np.bincount(cells, weights=y) / np.bincount(cells))[cells]
    return means


# Sphericity of repeated measures: Mauchly's test and the epsilon corrections.


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


# One line of an analysis-of-variance table, as returned by the repeated-measures kernels.


class AnovaEffect(NamedTuple):
    """An effect with its error term; between-person effects have no sphericity-corrected p (NaN).

    Without error variance, everything but sums of squares and degrees of freedom is NaN.
    """

    sum_of_squares: float
    df: float
    error_sum_of_squares: float
    error_df: float
    statistic: float
    p_value: float
    p_greenhouse_geisser: float
    p_huynh_feldt: float
    partial_eta_squared: float
    partial_eta_squared_interval: Interval
    generalized_eta_squared: float


class Variation(NamedTuple):
    """A sum of squares with its degrees of freedom."""

    sum_of_squares: float
    df: float


def anova_effect(
    effect: Variation,
    error: Variation,
    *,
    person_variation: float,
    level: float,
    sphericity: Sphericity | None = None,
) -> AnovaEffect:
    """Build a table line; `person_variation` is all variation within cells, for generalized eta².

    Partial eta² = SS / (SS + SS_error), limits from the noncentral F (Steiger 2004). Generalized
    eta² = SS / (SS + person_variation), every factor manipulated (Olejnik & Algina 2003).

    Examples
    --------
    >>> line = anova_effect(Variation(10.0, 2), Variation(28.0, 28), person_variation=40.0, level=0.95)
    >>> round(line.statistic, 2), round(line.partial_eta_squared, 3), line.generalized_eta_squared
    (5.0, 0.263, 0.2)
    """
    df = (effect.df, error.df)
    nan = float("nan")
    # `not >` is true for NaN too.
    if not error.sum_of_squares > 0 or not np.isfinite(effect.sum_of_squares):
        return AnovaEffect(*effect, *error, nan, nan, nan, nan, nan, UNKNOWN, nan)
    f = effect.sum_of_squares / effect.df / (error.sum_of_squares / error.df)
    # Between-person effects have no sphericity to correct for.
    epsilons = (sphericity.greenhouse_geisser, sphericity.huynh_feldt) if sphericity else (nan, nan)
    corrected = [nan if np.isnan(e) else corrected_p(f, df, e) for e in epsilons]
    partial_eta_squared = effect.sum_of_squares / (effect.sum_of_squares + error.sum_of_squares)
    return AnovaEffect(
        *effect,
        *error,
        statistic=f,
        p_value=p_from_f(f, df),
        p_greenhouse_geisser=corrected[0],
        p_huynh_feldt=corrected[1],
        partial_eta_squared=partial_eta_squared,
        partial_eta_squared_interval=eta_squared_interval(f, df, level=level, estimate=partial_eta_squared),
        generalized_eta_squared=effect.sum_of_squares / (effect.sum_of_squares + person_variation),
    )


# Analysis of variance with any number of factors between and within people, and covariates of people.
#
# Written here because statsmodels has no analysis of variance with factors of both kinds, no sphericity corrections and
# no covariates within people. It is the univariate test of a multivariate linear model, as car's `Anova` makes it.

FactorialSquares = Literal["III", "II"]


class Design(NamedTuple):
    """The factors of a design: labels of each person for those between, numbers of levels for those within."""

    between: tuple[tuple[str, ...], ...]
    """One tuple of labels, a label per person, for each factor between people."""
    within: tuple[int, ...]
    """Levels of each factor within people; the columns of values run through the last one fastest."""
    covariates: Floats | None = None
    """One column for each covariate of people; centred here, so that effects are those at its mean."""


class EffectFactors(NamedTuple):
    """Which factors form the effect, by their numbers in the design."""

    between: tuple[int, ...] = ()
    within: tuple[int, ...] = ()


class FactorialEffect(NamedTuple):
    """One line of the table; sphericity is None for effects between people."""

    line: AnovaEffect
    sphericity: Sphericity | None


def factorial_anova(
    values: npt.ArrayLike,
    design: Design,
    tested: EffectFactors,
    *,
    sums_of_squares: FactorialSquares = "III",
    level: float = 0.95,
) -> FactorialEffect:
    """Test one effect of a factorial design.

    Parameters
    ----------
    values
        People in rows, cells of the factors within people in columns; one column without such factors.
    sums_of_squares
        III compares the full model with one that lacks the effect (sum-to-zero codes); II leaves out all effects that
        contain it.

    Examples
    --------
    >>> design = Design((("a", "a", "a", "b", "b", "b"),), (2,))
    >>> values = [[1, 3], [2, 3], [3, 5], [2, 6], [3, 8], [5, 9]]
    >>> found = factorial_anova(values, design, EffectFactors((0,), (0,))).line
    >>> round(found.statistic, 3), found.df, found.error_df, round(found.p_value, 4)
    (32.0, 1, 4, 0.0048)
    """
    cells = matrix(values, "values", least=(2, 1))
    _refuse_strange(cells, design)
    terms = _between_terms(design, len(cells))
    full = np.column_stack([columns for _, columns in terms])
    rank = int(np.linalg.matrix_rank(full))
    if rank < full.shape[1]:
        raise ValueError(
            "Some combination of the factors between people has nobody, so the effects cannot be told apart."
        )
    error_df = len(cells) - rank
    if error_df < 1:
        raise ValueError(f"{len(cells)} people leave nothing to estimate the error of {rank} effects from.")
    contrasts = _within_contrasts(design.within, tested.within)
    projected = cells @ contrasts
    residual = projected - _fitted(full, projected)
    products = residual.T @ residual
    error = Variation(_without_rounding(float(np.trace(products)), cells), error_df * contrasts.shape[1])
    shape = _sphericity(products, error_df, error) if tested.within else None
    line = anova_effect(
        _explained(projected, *_compared(terms, frozenset(tested.between), sums_of_squares)),
        error,
        person_variation=float(((cells - _fitted(full, cells)) ** 2).sum()),
        level=level,
        sphericity=shape,
    )
    return FactorialEffect(line, shape)


def _explained(projected: Floats, with_effect: Floats, without: Floats) -> Variation:
    explained = _fitted(with_effect, projected) - _fitted(without, projected)
    df = (with_effect.shape[1] - without.shape[1]) * projected.shape[1]
    return Variation(float((explained**2).sum()), df)


def _without_rounding(error: float, cells: Floats) -> float:
    """Return 0 where rounding left a trace of error."""
    return error if error > 1e-24 * float((cells**2).sum()) else 0.0


def _sphericity(products: Floats, df: int, error: Variation) -> Sphericity:
    nan = float("nan")
    return sphericity(products, df) if error.sum_of_squares else Sphericity(nan, nan, nan, nan)


def _refuse_strange(cells: Floats, design: Design) -> None:
    n_cells = int(np.prod(design.within, dtype=np.int64))
    if cells.shape[1] != n_cells:
        raise ValueError(f"values has {cells.shape[1]} columns, but the factors within people have {n_cells} cells.")
    for labels in design.between:
        if len(labels) != len(cells):
            raise ValueError(f"A factor has labels of {len(labels)} people, but values has {len(cells)} rows.")


def _between_terms(design: Design, n: int) -> list[tuple[frozenset[int], Floats]]:
    """Return the columns of each effect between people; those of covariates belong to the intercept."""
    base = [np.ones((n, 1))]
    if design.covariates is not None:
        base.append(design.covariates - design.covariates.mean(axis=0))
    terms: list[tuple[frozenset[int], Floats]] = [(frozenset(), np.column_stack(base))]
    coded = [_sum_codes(labels) for labels in design.between]
    for members in _subsets(range(len(coded))):
        columns = np.ones((n, 1))
        for member in members:
            # Row-wise products of codes are the codes of an interaction.
            columns = (columns[:, :, None] * coded[member][:, None, :]).reshape(n, -1)
        terms.append((frozenset(members), columns))
    return terms


def _subsets(members: Sequence[int]) -> Iterator[tuple[int, ...]]:
    for size in range(1, len(members) + 1):
        yield from combinations(members, size)


def _sum_codes(labels: tuple[str, ...]) -> Floats:
    levels = sorted(set(labels))
    if len(levels) < 2:
        raise ValueError(f"A factor between people has only the level {levels[0]!r}; at least 2 are needed.")
    codes = np.vstack([np.eye(len(levels) - 1), -np.ones(len(levels) - 1)])
    coded: Floats = codes[[levels.index(label) for label in labels]]
    return coded


def _within_contrasts(levels: tuple[int, ...], tested: tuple[int, ...]) -> Floats:
    """Return orthonormal columns: differences for the tested factors, means over the others."""
    contrasts: Floats = np.ones((1, 1))
    for number, n in enumerate(levels):
        part = orthonormal_contrasts(n) if number in tested else np.full((n, 1), n**-0.5)
        contrasts = np.asarray(np.kron(contrasts, part), dtype=np.float64)
    return contrasts


def _compared(
    terms: list[tuple[frozenset[int], Floats]], effect: frozenset[int], squares: FactorialSquares
) -> tuple[Floats, Floats]:
    """Return the columns of the two models whose difference is the effect."""
    kept = [(members, columns) for members, columns in terms if squares == "III" or not effect < members]
    if not effect:
        # Effects within people alone: the intercept itself, which is the mean over groups.
        kept = [*terms] if squares == "III" else terms[:1]
        full = np.column_stack([columns for _, columns in kept])
        return full, full[:, 1:]
    with_effect = np.column_stack([columns for _, columns in kept])
    without = np.column_stack([columns for members, columns in kept if members != effect])
    return with_effect, without


def _fitted(columns: Floats, values: Floats) -> Floats:
    if not columns.shape[1]:
        return np.zeros_like(values)
    basis = linalg.orth(columns)
    fitted: Floats = basis @ (basis.T @ values)
    return fitted


# One-way analysis of variance, classical and Welch's, with eta² and omega².


class OneWayAnova(NamedTuple):
    """A one-way test; with a single factor eta² and partial eta² are the same number.

    Without spread within groups, statistic, p-value and effect sizes are NaN. Welch's test has no omega² (NaN).
    """

    statistic: float
    df_between: float
    df_within: float
    p_value: float
    eta_squared: float
    eta_squared_interval: Interval
    omega_squared: float


def one_way_anova(groups: Sequence[npt.ArrayLike], *, level: float = 0.95) -> OneWayAnova:
    """Compare the means of two or more groups with one common variance.

    eta² = SSb / SSt; omega² = (SSb - dfb MSw) / (SSt + MSw), which may fall below 0 (Hays 1963). The
    interval of eta² pivots the noncentral F (Steiger 2004).

    Examples
    --------
    >>> test = one_way_anova([[1.0, 2, 3], [2.0, 3, 4], [5.0, 6, 7]])
    >>> round(test.statistic, 2), test.df_between, test.df_within, round(test.eta_squared, 3)
    (13.0, 2, 6, 0.812)
    """
    samples = group_vectors(groups, least=1)
    values = np.concatenate(samples)
    df_between, df_within = len(samples) - 1, values.size - len(samples)
    if df_within < 1:
        raise ValueError(f"{values.size} values in {len(samples)} groups leave no degrees of freedom within.")
    between = float(sum(x.size * (x.mean() - values.mean()) ** 2 for x in samples))
    within = float(sum(((x - x.mean()) ** 2).sum() for x in samples))
    if is_negligible((within / df_within) ** 0.5, float(np.abs(values).max())):
        return _unknown(df_between, df_within)
    mean_square = within / df_within
    f = between / df_between / mean_square
    eta_squared = between / (between + within)
    return OneWayAnova(
        statistic=f,
        df_between=df_between,
        df_within=df_within,
        p_value=p_from_f(f, (df_between, df_within)),
        eta_squared=eta_squared,
        eta_squared_interval=eta_squared_interval(f, (df_between, df_within), level=level, estimate=eta_squared),
        omega_squared=(between - df_between * mean_square) / (between + within + mean_square),
    )


def welch_anova(groups: Sequence[npt.ArrayLike]) -> OneWayAnova:
    """Compare the means of two or more groups, each with its own variance (Welch 1951).

    eta² = SSb / SSt is the share of variance between groups, as in the classical analysis. It has no interval here:
    Welch's F weighs groups by their precision, so F and its degrees of freedom say nothing about that share. For the same
    reason there is no omega²: what R's effectsize computes from F under that name is a share of variance after weighing,
    which can be .6 where SSb / SSt is .03. A group without spread has infinite weight, so the result is NaN.

    Examples
    --------
    >>> test = welch_anova([[1.0, 2, 3], [2.0, 3, 4], [5.0, 6, 9]])
    >>> round(test.statistic, 3), round(test.df_within, 2)
    (5.217, 3.78)
    """
    samples = group_vectors(groups, least=2)
    sizes = np.array([x.size for x in samples], dtype=np.float64)
    means = np.array([x.mean() for x in samples])
    variances = np.array([x.var(ddof=1) for x in samples])
    df1 = len(samples) - 1
    if any(is_negligible(float(s**0.5), float(np.abs(m))) for s, m in zip(variances, means, strict=True)):
        return _unknown(df1, float("nan"))
    weights = sizes / variances
    # Welch (1951): groups are weighted by the precision of their means.
    shares = weights / weights.sum()
    spread = float(((1 - shares) ** 2 / (sizes - 1)).sum()) / (df1 * (df1 + 2))
    f = float((weights * (means - shares @ means) ** 2).sum()) / df1 / (1 + 2 * (df1 - 1) * spread)
    df2 = 1 / (3 * spread)
    return OneWayAnova(
        statistic=f,
        df_between=df1,
        df_within=df2,
        p_value=p_from_f(f, (df1, df2)),
        eta_squared=_share_between(samples),
        eta_squared_interval=UNKNOWN,
        omega_squared=float("nan"),
    )


def _share_between(samples: Sequence[Floats]) -> float:
    values = np.concatenate(samples)
    between = sum(x.size * (x.mean() - values.mean()) ** 2 for x in samples)
    return float(between / ((values - values.mean()) ** 2).sum())


def _unknown(df_between: float, df_within: float) -> OneWayAnova:
    nan = float("nan")
    return OneWayAnova(nan, df_between, df_within, nan, nan, Interval(nan, nan), nan)
