from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest

from understudy.statistics.counts import mcnemar_exact, paired_proportions

Lookup = Callable[..., npt.NDArray[np.float64]]
Nominal = Callable[[int, float], tuple[float, float]]
TABLE = [[15, 22], [4, 2]]


def test_exact_p_equals_binom_test_on_every_side(expected: Lookup) -> None:
    found = [mcnemar_exact(22, 4).p_value, *(mcnemar_exact(22, 4, alternative=a).p_value for a in ("greater", "less"))]
    assert found == pytest.approx(expected("mcnemar", "p", "greater", "less"), rel=1e-6)


def test_odds_ratio_limits_equal_clopper_and_pearson(expected: Lookup) -> None:
    test = mcnemar_exact(22, 4)
    assert test.odds_ratio == 5.5
    assert test.odds_ratio_interval == pytest.approx(expected("mcnemar", "interval"), rel=1e-6)


def test_no_pair_on_one_side_leaves_the_upper_limit_open(expected: Lookup) -> None:
    test = mcnemar_exact(5, 0)
    assert (test.odds_ratio, test.odds_ratio_interval.high) == (np.inf, np.inf)
    assert (test.p_value, test.odds_ratio_interval.low) == pytest.approx(
        expected("mcnemar", "zero_p", "zero"), rel=1e-6
    )


def test_no_discordant_pair_is_no_evidence() -> None:
    test = mcnemar_exact(0, 0)
    assert test.p_value == 1.0
    assert np.isnan(test.odds_ratio)


def test_both_intervals_of_the_difference_equal_r(expected: Lookup) -> None:
    newcombe, wald = paired_proportions(TABLE), paired_proportions(TABLE, method="wald")
    assert newcombe.difference == pytest.approx(expected("paired_proportions", "difference"))
    assert newcombe.interval == pytest.approx(expected("paired_proportions", "newcombe"), rel=1e-6)
    assert wald.interval == pytest.approx(expected("paired_proportions", "wald"), rel=1e-6)


def test_newcombe_equals_its_worked_example() -> None:
    # Counts 36, 12, 2, 0, used throughout Newcombe (1998).
    interval = paired_proportions([[36, 12], [2, 0]]).interval
    assert interval == pytest.approx((0.0569, 0.3404), abs=5e-5)


def test_negative_counts_are_refused() -> None:
    with pytest.raises(ValueError, match="cannot be negative"):
        mcnemar_exact(-1, 3)


@pytest.mark.slow
def test_exact_test_never_rejects_too_often(nominal: Nominal) -> None:
    rng = np.random.default_rng(12)
    discordant = rng.binomial(40, 0.5, 1500)
    counts = rng.binomial(discordant, 0.5)
    rejected = sum(mcnemar_exact(int(b), int(m - b)).p_value <= 0.05 for b, m in zip(counts, discordant, strict=True))
    assert rejected <= nominal(1500, 0.05)[1]
