from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats

from understudy.statistics.distributions import Alternative
from understudy.statistics.ranks import kruskal_wallis, rank_sum_test, signed_rank_test

Lookup = Callable[..., npt.NDArray[np.float64]]
Nominal = Callable[[int, float], tuple[float, float]]
Floats = npt.NDArray[np.float64]


def tied_groups(column: Lookup) -> list[Floats]:
    return [column("groups", "score")[column("groups", "group") == g] for g in range(3)]


def test_rank_sum_with_ties_equals_r(column: Lookup, expected: Lookup) -> None:
    base, _, invertible = tied_groups(column)
    test = rank_sum_test(invertible, base)
    plain = rank_sum_test(invertible, base, continuity=False)
    found = (test.u, test.p_value, plain.p_value, test.r)
    assert found == pytest.approx(expected("rank_sum_ties", "u", "p", "p_plain", "r"), rel=1e-6)


@pytest.mark.parametrize("alternative", ["greater", "less"])
def test_one_sided_rank_tests_with_ties_equal_r(alternative: Alternative, column: Lookup, expected: Lookup) -> None:
    base, _, invertible = tied_groups(column)
    before, after = column("ordinal_pairs", "before"), column("ordinal_pairs", "after")
    p_sum = rank_sum_test(invertible, base, alternative=alternative).p_value
    p_signed = signed_rank_test(after, before, alternative=alternative).p_value
    assert p_sum == pytest.approx(expected("rank_sum_ties", alternative), rel=1e-6)
    assert p_signed == pytest.approx(expected("signed_rank_ties", alternative), rel=1e-6)


def test_exact_rank_sum_and_its_shift_equal_r(column: Lookup, expected: Lookup) -> None:
    x, y = column("pairs", "x"), column("pairs", "y")[:12]
    test = rank_sum_test(x, y, method="exact")
    assert (test.u, test.p_value) == pytest.approx(expected("rank_sum", "u", "p"), rel=1e-6)
    assert test.shift.estimate == pytest.approx(expected("rank_sum", "shift"), rel=1e-6)
    assert test.shift.interval == pytest.approx(expected("rank_sum", "interval"), rel=1e-6)
    wide = rank_sum_test(x, y, method="exact", level=0.9).shift.interval
    assert wide == pytest.approx(expected("rank_sum", "interval_90"), rel=1e-6)


@pytest.mark.parametrize("alternative", ["greater", "less"])
def test_exact_one_sided_rank_sum_equals_r(alternative: Alternative, column: Lookup, expected: Lookup) -> None:
    x, y = column("pairs", "x"), column("pairs", "y")[:12]
    test = rank_sum_test(x, y, method="exact", alternative=alternative)
    assert test.p_value == pytest.approx(expected("rank_sum", alternative), rel=1e-6)


def test_normal_limits_of_the_shift_equal_r_at_its_finest_tolerance(column: Lookup, expected: Lookup) -> None:
    x, y = column("pairs", "x"), column("pairs", "y")
    plain = rank_sum_test(x, y[:12], continuity=False).shift.interval
    assert rank_sum_test(x, y[:12]).shift.interval == pytest.approx(expected("rank_sum", "normal_interval"), rel=1e-6)
    assert plain == pytest.approx(expected("rank_sum", "normal_interval_plain"), rel=1e-6)
    signed = signed_rank_test(x, y).shift.interval
    assert signed == pytest.approx(expected("signed_rank", "normal_interval"), rel=1e-6)


def test_signed_rank_with_ties_and_zeros_equals_r(column: Lookup, expected: Lookup) -> None:
    before, after = column("ordinal_pairs", "before"), column("ordinal_pairs", "after")
    test = signed_rank_test(after, before)
    plain = signed_rank_test(after, before, continuity=False)
    found = (test.v, test.p_value, plain.p_value, abs(test.z))
    assert found == pytest.approx(expected("signed_rank_ties", "v", "p", "p_plain", "z"), rel=1e-6)


def test_exact_signed_rank_equals_r(column: Lookup, expected: Lookup) -> None:
    test = signed_rank_test(column("pairs", "x"), column("pairs", "y"), method="exact")
    found = (test.v, test.p_value, test.shift.estimate)
    assert found == pytest.approx(expected("signed_rank", "v", "p", "shift"), rel=1e-6)
    assert test.shift.interval == pytest.approx(expected("signed_rank", "interval"), rel=1e-6)


def test_pratt_keeps_zeros_in_the_ranking(column: Lookup, expected: Lookup) -> None:
    before, after = column("ordinal_pairs", "before"), column("ordinal_pairs", "after")
    test = signed_rank_test(after, before, zeros="pratt")
    assert (test.v, test.p_value) == pytest.approx(expected("signed_rank_pratt", "v", "p"), rel=1e-6)
    scipy = stats.wilcoxon(after, before, zero_method="pratt", correction=True, method="approx")
    assert test.p_value == pytest.approx(scipy.pvalue)


def test_kruskal_wallis_equals_r(column: Lookup, expected: Lookup) -> None:
    test = kruskal_wallis(tied_groups(column))
    for field in ("statistic", "df", "p_value", "epsilon_squared", "epsilon_squared_interval"):
        assert getattr(test, field) == pytest.approx(expected("kruskal", field), rel=1e-6)


def test_rank_biserial_follows_from_the_common_language_effect() -> None:
    test = rank_sum_test([3, 4, 4, 6, 9], [1, 2, 4, 3])
    wins = np.mean([(a > b) + (a == b) / 2 for a in (3, 4, 4, 6, 9) for b in (1, 2, 4, 3)])
    assert (test.common_language, test.rank_biserial) == pytest.approx((wins, 2 * wins - 1))


def test_complete_separation_of_groups_keeps_limits_inside_bounds() -> None:
    test = rank_sum_test([5, 6, 7, 8], [1, 2, 3, 4])
    assert test.common_language == 1.0
    assert 0.4 < test.common_language_interval.low < test.common_language_interval.high == 1.0


def test_equal_values_have_no_rank_test() -> None:
    results = (rank_sum_test([2, 2], [2, 2]).p_value, signed_rank_test([1, 2], [1, 2]).p_value)
    assert np.isnan([*results, kruskal_wallis([[3, 3], [3, 3]]).p_value]).all()


def test_exact_tests_refuse_ties() -> None:
    with pytest.raises(ValueError, match="contain ties"):
        rank_sum_test([1, 2], [2, 3], method="exact")
    with pytest.raises(ValueError, match="ties or zeros"):
        signed_rank_test([1, 2, 3], [1, 1, 1], method="exact")


@pytest.mark.slow
def test_null_ranks_are_rejected_at_the_nominal_rate(nominal: Nominal) -> None:
    # Continuity correction makes the rank tests conservative, so they are checked without it.
    rng = np.random.default_rng(6)
    sums = [rank_sum_test(rng.normal(size=25), rng.normal(size=20), continuity=False) for _ in range(1500)]
    signed = [signed_rank_test(rng.normal(size=25), rng.normal(size=25), continuity=False) for _ in range(1500)]
    several = [kruskal_wallis([rng.normal(size=20) for _ in range(3)]) for _ in range(1500)]
    low, high = nominal(1500, 0.05)
    for tests in (sums, signed, several):
        assert low <= sum(test.p_value < 0.05 for test in tests) <= high


def test_exact_rank_tests_never_reject_too_often(nominal: Nominal) -> None:
    rng = np.random.default_rng(9)
    sums = [rank_sum_test(rng.normal(size=6), rng.normal(size=5), method="exact") for _ in range(2000)]
    signed = [signed_rank_test(rng.normal(size=8), rng.normal(size=8), method="exact") for _ in range(2000)]
    assert sum(test.p_value <= 0.05 for test in sums) <= nominal(2000, 0.05)[1]
    assert sum(test.p_value <= 0.05 for test in signed) <= nominal(2000, 0.05)[1]


def test_intervals_of_shift_and_common_language_cover_the_truth(nominal: Nominal) -> None:
    # Newcombe's interval is approximate: one point under the nominal level is allowed.
    rng = np.random.default_rng(10)
    tests = [rank_sum_test(rng.normal(0.8, 1, 20), rng.normal(0, 1, 15)) for _ in range(1500)]
    truth = float(stats.norm.cdf(0.8 / 2**0.5))
    covered = sum(t.common_language_interval.low <= truth <= t.common_language_interval.high for t in tests)
    assert covered >= nominal(1500, 0.94)[0]
    assert sum(t.shift.interval.low <= 0.8 <= t.shift.interval.high for t in tests) >= nominal(1500, 0.94)[0]
