"""Analytic power of t tests, the reference for simulated power."""

from understudy.analyses.kernels.noncentral import noncentral_t_below
from understudy.analyses.kernels.tails import Alternative, t_quantile


def power_one_sample(d: float, n: int, *, alpha: float = 0.05, alternative: Alternative = "two-sided") -> float:
    """Return the power of a one-sample t test, or of a paired one when `d` is d_z and `n` counts pairs.

    Examples
    --------
    >>> round(power_one_sample(0.5, 34), 4)
    0.8078
    """
    if n < 2:
        raise ValueError(f"n is {n}; at least 2 are needed.")
    return _power(d * n**0.5, n - 1, alpha, alternative)


def power_two_sample(
    d: float, sizes: tuple[int, int], *, alpha: float = 0.05, alternative: Alternative = "two-sided"
) -> float:
    """Return the power of the pooled two-sample t test for groups of the given `sizes`.

    Examples
    --------
    >>> round(power_two_sample(0.5, (64, 64)), 4)
    0.8015
    """
    first, second = sizes
    if first < 1 or second < 1 or first + second < 3:
        raise ValueError(f"The groups have {first} and {second} people; together at least 3 are needed.")
    return _power(d / (1 / first + 1 / second) ** 0.5, first + second - 2, alpha, alternative)


def _power(noncentrality: float, df: int, alpha: float, alternative: Alternative) -> float:
    if not 0 < alpha < 0.5:
        raise ValueError(f"alpha is {alpha}; it must be between 0 and 0.5.")
    if alternative == "less":
        return _power(-noncentrality, df, alpha, "greater")
    if alternative not in ("greater", "two-sided"):
        raise ValueError(f"alternative is {alternative!r}; it must be 'two-sided', 'greater' or 'less'.")
    if alternative == "greater":
        return 1 - noncentral_t_below(t_quantile(df, 1 - 2 * alpha), df, noncentrality)
    # Both tails count, because a two-sided test also rejects on the wrong side.
    critical = t_quantile(df, 1 - alpha)
    above = 1 - noncentral_t_below(critical, df, noncentrality)
    return above + noncentral_t_below(-critical, df, noncentrality)
