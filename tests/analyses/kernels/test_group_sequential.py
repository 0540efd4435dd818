"""Boundaries of group-sequential tests equal published ones, and keep alpha over all looks."""

import numpy as np
import pytest

from understudy.statistics.group_sequential import Sides, Spending, boundaries, repeated_p

FIFTHS, THIRDS = (0.2, 0.4, 0.6, 0.8, 1.0), (1 / 3, 2 / 3, 1.0)
# Five looks: Reboussin et al. (2000), tables of the program LD98, also R's ldbounds. Three looks: R's gsDesign (sfLDOF,
# sfLDPocock) with a one-sided alpha of .025. Two looks: Jennison & Turnbull (2000) for equal spacing.
PUBLISHED = [
    (FIFTHS, 0.05, "obrien_fleming", "two", (4.8769, 3.3569, 2.6803, 2.2898, 2.0310)),
    (FIFTHS, 0.05, "pocock", "two", (2.4380, 2.4268, 2.4101, 2.3966, 2.3859)),
    (THIRDS, 0.025, "obrien_fleming", "one", (3.7103, 2.5114, 1.9930)),
    (THIRDS, 0.025, "pocock", "one", (2.2794, 2.2949, 2.2959)),
    ((0.5, 1.0), 0.05, "obrien_fleming", "two", (2.9626, 1.9686)),
    ((0.5, 1.0), 0.05, "pocock", "two", (2.1570, 2.2010)),
]


@pytest.mark.parametrize(("fractions", "alpha", "spending", "sides", "published"), PUBLISHED)
def test_boundaries_are_the_published_ones(
    fractions: tuple[float, ...], alpha: float, spending: Spending, sides: Sides, published: tuple[float, ...]
) -> None:
    assert boundaries(fractions, alpha, spending, sides).z == pytest.approx(published, abs=2e-4)


@pytest.mark.parametrize("spending", ["obrien_fleming", "pocock"])
@pytest.mark.parametrize("sides", ["one", "two"])
def test_alpha_holds_over_all_looks_in_simulated_studies(spending: Spending, sides: Sides) -> None:
    rng = np.random.default_rng(16)
    looks = np.array([30, 60, 90, 120])
    sums = rng.normal(0, 1, (40_000, 4, 30)).sum(axis=2).cumsum(axis=1)
    z = sums / np.sqrt(looks)
    bounds = np.asarray(boundaries([*(looks / 120)], 0.05, spending, sides).z, dtype=float)
    crossed = ((np.abs(z) if sides == "two" else z) > bounds).any(axis=1)
    assert crossed.mean() == pytest.approx(0.05, abs=0.0035)


def test_looking_without_spending_would_find_too_much() -> None:
    rng = np.random.default_rng(16)
    z = rng.normal(0, 1, (40_000, 4)).cumsum(axis=1) / np.sqrt(np.arange(1, 5))
    assert (np.abs(z) > 1.96).any(axis=1).mean() > 0.12


@pytest.mark.parametrize("spending", ["obrien_fleming", "pocock"])
@pytest.mark.parametrize("alpha", [0.001, 0.05, 0.2])
def test_a_p_value_on_the_boundary_has_alpha_as_its_repeated_p(spending: Spending, alpha: float) -> None:
    nominal = boundaries(THIRDS[:2], alpha, spending).nominal[-1]
    assert repeated_p(nominal, THIRDS[:2], spending) == pytest.approx(alpha, rel=1e-4)


def test_a_repeated_p_is_never_smaller_than_the_p_value() -> None:
    assert all(repeated_p(p, THIRDS[:2], "pocock") >= p for p in (1e-12, 0.01, 0.3, 0.99))


@pytest.mark.parametrize("fractions", [(), (0.5, 0.5), (0.5, 1.2), (0.0, 1.0)])
def test_fractions_that_do_not_rise_are_refused(fractions: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match="must rise from above 0 to at most 1"):
        boundaries(fractions, 0.05, "pocock")
