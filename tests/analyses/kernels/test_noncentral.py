import numpy as np
import pytest
from scipy import integrate, stats

from understudy.statistics.distributions import (
    f_mixture_below,
    noncentral_f_below,
    noncentral_f_interval,
    noncentral_t_interval,
)


def chance_below(t: float, df: float, noncentrality: float) -> float:
    """P(T <= t) from its definition, T = (Z + noncentrality) / (chi / sqrt(df)), integrated over Z."""

    def density(z: float) -> float:
        return float(stats.norm.pdf(z) * stats.chi2.sf(df * ((z + noncentrality) / t) ** 2, df))

    return float(integrate.quad(density, -9, 9, epsabs=1e-13, limit=500)[0])


@pytest.mark.parametrize(("t", "df"), [(15.0, 5), (60.0, 40), (400.0, 30), (3000.0, 200)])
def test_limits_hold_by_direct_integration_where_r_gives_up(t: float, df: int) -> None:
    limits = noncentral_t_interval(t, df)
    assert chance_below(t, df, limits.low) == pytest.approx(0.975, abs=1e-8)
    assert chance_below(t, df, limits.high) == pytest.approx(0.025, abs=1e-8)


def test_interval_mirrors_with_the_sign_of_t() -> None:
    above, below = noncentral_t_interval(2.2, 14), noncentral_t_interval(-2.2, 14)
    assert (above.low, above.high) == pytest.approx((-below.high, -below.low))


def test_a_small_f_has_zero_as_both_limits() -> None:
    assert noncentral_f_interval(0.001, (3, 30)) == (0.0, 0.0)


def test_a_large_f_is_pivoted_on_both_sides() -> None:
    limits = noncentral_f_interval(900.0, (3, 40))
    areas = stats.ncf.cdf(900.0, 3, 40, np.array(limits))
    assert areas == pytest.approx([0.975, 0.025], abs=1e-9)


@pytest.mark.parametrize("df", [(2.0, 46.0), (1.0, 500.0)])
def test_a_huge_f_needs_no_more_room_than_a_large_one(df: tuple[float, float]) -> None:
    large, huge = noncentral_f_interval(0.9e8 / df[0], df), noncentral_f_interval(1e30, df)
    scale = 1e30 / (0.9e8 / df[0])
    assert (huge.low, huge.high) == pytest.approx((large.low * scale, large.high * scale), rel=1e-4)


def test_no_statistic_has_no_limits() -> None:
    assert np.isnan([*noncentral_t_interval(np.nan, 5), *noncentral_f_interval(np.inf, (1, 5))]).all()


@pytest.mark.parametrize(
    ("f", "df", "noncentrality"), [(0.3, (3, 30), 0.0), (2.0, (5, 12), 9.0), (60.0, (2, 400), 130.0)]
)
def test_two_ways_to_the_noncentral_f_agree(f: float, df: tuple[int, int], noncentrality: float) -> None:
    mixture = f_mixture_below(f, df, noncentrality)
    assert mixture == pytest.approx(noncentral_f_below(f, df, noncentrality), abs=1e-10)


def test_every_noncentral_f_has_a_chance_between_0_and_1() -> None:
    grid = [
        (f, d1, d2, m) for f in (0.01, 1, 15, 3000) for d1 in (1, 11, 40) for d2 in (2, 30, 5000) for m in (0, 0.5, 5)
    ]
    chances = [noncentral_f_below(f, (d1, d2), m * f * d1) for f, d1, d2, m in grid]
    assert 0 <= min(chances) <= max(chances) <= 1


def test_limits_exist_for_any_t() -> None:
    values = [noncentral_t_interval(t, df) for t in np.linspace(-30, 30, 25) for df in (1, 2, 7, 50, 10_000)]
    assert all(low < high for low, high in values)
