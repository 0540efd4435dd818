"""Findings say what they are: attained levels, declared orders, liberal tests at small n."""

import numpy as np
import pandas as pd
import pytest

from tests.analyses import reference_rows
from understudy.registry import create
from understudy.roles import Analysis
from understudy.schema import Estimate, Hypothesis, Ref
from understudy.statistics.ranks import rank_sum_test, signed_rank_test


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


def test_one_person_in_each_group_has_no_interval_of_ranks() -> None:
    assert estimate_of("rank_sum", {"a": [3.0], "b": [5.0]}).interval is None


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


def test_the_participant_bootstrap_says_that_items_are_fixed_where_they_differ() -> None:
    rng = np.random.default_rng(4)
    values = rng.normal(0, 3, (1, 12)) + rng.normal(0, 1, (20, 12))
    table = pd.DataFrame(
        [(person, item, values[person, item]) for person in range(20) for item in range(12)],
        columns=["participant", "item", "value"],
    )
    claim = {"hypothesis_id": "H1", "claim": "c", "outcome": "value", "against": 0.0}
    hypothesis = Hypothesis(**claim, analysis=Ref(name="participant_bootstrap"))
    made: Analysis = create("analyses", Ref(name="participant_bootstrap"))
    said = " ".join(made.estimate(table, hypothesis, np.random.default_rng(1)).notes)
    assert "the result applies to these items only" in said


def ratings_of_two_factors(*, n_values: int) -> pd.DataFrame:
    rng = np.random.default_rng(6)
    cells = [(person, a, b) for person in range(20) for a in "xy" for b in "mn"]
    table = pd.DataFrame(cells, columns=["participant", "a", "b"])
    return table.assign(value=rng.integers(0, n_values, len(table)))


@pytest.mark.parametrize(("n_values", "is_warned"), [(5, True), (1000, False)])
def test_aligned_ranks_of_ratings_are_warned_of(n_values: int, is_warned: bool) -> None:
    found = reference_rows.estimate(
        "aligned_rank_anova", ratings_of_two_factors(n_values=n_values), factor="a", crossed_with="b"
    )
    assert ("can show the effect of another factor" in " ".join(found.notes)) == is_warned


@pytest.mark.parametrize(("n_trials", "is_warned"), [(3, True), (60, False)])
def test_d_prime_says_how_many_rates_were_corrected(n_trials: int, is_warned: bool) -> None:
    rng = np.random.default_rng(7)
    cells = [(p, level, signal) for p in range(20) for level in "xy" for signal in (0, 1) for _ in range(n_trials)]
    table = pd.DataFrame(cells, columns=["participant", "level", "other"])
    table = table.assign(value=(rng.normal(table["other"], 1) > 0.5).astype(int))
    found = reference_rows.estimate("signal_detection", table, factor="level", other="signal")
    assert ("of people's rates of hits and false alarms are 0 or 1" in " ".join(found.notes)) == is_warned
