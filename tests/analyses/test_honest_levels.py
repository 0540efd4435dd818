"""Findings say what they are: attained levels, declared orders, liberal tests at small n."""

import numpy as np
import pandas as pd
import pytest

from understudy.analyses.kernels.rank_sum import rank_sum_test
from understudy.analyses.kernels.signed_rank import signed_rank_test
from understudy.registry import create
from understudy.roles import Analysis
from understudy.schema import Estimate, Hypothesis, Ref


def estimate_of(analysis: str, groups: dict[str, list[float]]) -> Estimate:
    rows = [(f"{level}{k}", level, value) for level, values in groups.items() for k, value in enumerate(values)]
    table = pd.DataFrame(rows, columns=["participant", "help", "value"])
    hypothesis = Hypothesis(hypothesis_id="H1", claim="c", outcome="value", factor="help", analysis=Ref(name=analysis))
    made: Analysis = create("analyses", Ref(name=analysis))
    return made.estimate(table, hypothesis, np.random.default_rng(1))


@pytest.mark.parametrize(
    ("n_first", "n_second", "level"), [(3, 3, 0.90), (2, 2, 2 / 3), (2, 5, 1 - 2 / 21), (4, 4, 0.95)]
)
@pytest.mark.parametrize("method", ["normal", "exact"])
def test_a_rank_interval_states_the_level_it_attains(method: str, n_first: int, n_second: int, level: float) -> None:
    # R, wilcox.test(conf.int = TRUE): 90 % for 3 against 3.
    values = np.arange(n_first + n_second, dtype=float) ** 1.5
    test = rank_sum_test(values[:n_first], values[n_first:], method=method)  # type: ignore[arg-type]
    assert test.shift.level == pytest.approx(level)


@pytest.mark.parametrize(("n", "level"), [(3, 0.75), (5, 0.9375), (6, 0.95)])
@pytest.mark.parametrize("method", ["normal", "exact"])
def test_an_interval_of_pairs_states_the_level_it_attains(method: str, n: int, level: float) -> None:
    test = signed_rank_test(np.arange(1, n + 1) ** 1.5, np.zeros(n), method=method)  # type: ignore[arg-type]
    assert test.shift.level == pytest.approx(level)


def test_a_finding_at_tiny_n_shows_the_level_and_says_why() -> None:
    estimate = estimate_of("rank_sum", {"with": [4.0, 5, 6.5], "without": [1.0, 2, 3]})
    assert estimate.interval is not None
    assert estimate.interval.level == pytest.approx(0.9)
    assert "confidence of 90.0%, not 95%" in " ".join(estimate.notes)


def test_the_participant_bootstrap_warns_at_small_n() -> None:
    few = estimate_of("participant_bootstrap", {"with": [4.0, 5, 6.5, 3, 2], "without": [1.0, 2, 3, 5, 4]})
    assert "With n = 5 and 5 people, resampling participants is liberal" in " ".join(few.notes)


def test_the_participant_bootstrap_does_not_warn_at_large_n() -> None:
    rng = np.random.default_rng(3)
    many = estimate_of("participant_bootstrap", {name: rng.normal(size=60).tolist() for name in ("with", "without")})
    assert "liberal" not in " ".join(many.notes)


def test_welch_anova_reports_the_share_of_variance() -> None:
    rng = np.random.default_rng(5)
    groups = {"a": rng.normal(0, 0.01, 5), "b": rng.normal(0.02, 0.01, 5), "c": rng.normal(0, 5, 400)}
    estimate = estimate_of("welch_anova", {name: values.tolist() for name, values in groups.items()})
    values, mean = np.concatenate(list(groups.values())), np.concatenate(list(groups.values())).mean()
    between = sum(group.size * (group.mean() - mean) ** 2 for group in groups.values())
    assert estimate.effect_name == "eta squared"
    assert estimate.effect == pytest.approx(between / ((values - mean) ** 2).sum())
