"""Bayes factors that no program prints: what has to hold of them by symmetry."""

import pytest

from understudy.statistics.bayes_factors import (
    LARGEST,
    BayesFactor,
    correlation_bayes_factor,
    proportion_bayes_factor,
    t_bayes_factor,
)


def test_the_side_without_mass_keeps_its_digits() -> None:
    of_few = proportion_bayes_factor(400, 1000, null=0.3, alternative="less").bf10
    assert of_few == pytest.approx(proportion_bayes_factor(600, 1000, null=0.7, alternative="greater").bf10, rel=1e-9)


@pytest.mark.parametrize(("t", "r"), [(2.5, 0.6), (6.0, -0.2), (1e7, 0.9), (1e12, -0.99)])
def test_turning_the_data_around_turns_the_sides(t: float, r: float) -> None:
    assert t_bayes_factor(t, 19, 20, alternative="less").bf10 == pytest.approx(
        t_bayes_factor(-t, 19, 20, alternative="greater").bf10, rel=1e-9
    )
    assert correlation_bayes_factor(r, 30, alternative="less").bf10 == pytest.approx(
        correlation_bayes_factor(-r, 30, alternative="greater").bf10, rel=1e-9
    )


@pytest.mark.parametrize("t", [1e10, 1e16, 1e90])
def test_an_effect_of_billions_of_standard_deviations_keeps_its_side(t: float) -> None:
    below, above = (t_bayes_factor(side * t, 29, 30, alternative="less") for side in (-1, 1))
    assert below.bf10 > 1e200
    assert above.bf10 < 1
    assert below.median < 0 < above.median


@pytest.mark.parametrize(
    ("found", "median"),
    [
        (t_bayes_factor(95.0, 998, 250), 95 / 250**0.5),
        (correlation_bayes_factor(0.95, 2000), 0.95),
        (proportion_bayes_factor(9000, 10000), 0.9),
    ],
)
def test_overwhelming_evidence_keeps_its_posterior(found: BayesFactor, median: float) -> None:
    assert found.bf10 == LARGEST
    assert found.median == pytest.approx(median, rel=0.01)
    assert found.interval.low < found.median < found.interval.high
