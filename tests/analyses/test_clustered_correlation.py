"""Clustered correlations: the coefficient of the rows, an interval that people decide, and the published rank version."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from understudy import registry
from understudy.schema import Estimate, Hypothesis, Ref


def estimated(rows: pd.DataFrame, **params: object) -> Estimate:
    analysis = registry.create("analyses", Ref(name="clustered_correlation", params={"n_resamples": 1000, **params}))
    said = Hypothesis(hypothesis_id="h", claim="Related.", outcome="rating", other="similarity", analysis=Ref(name="x"))
    found: Estimate = analysis.estimate(rows, said, np.random.default_rng(3))
    return found


def ratings(slope: float, *, n_people: int = 40, person_sd: float = 0.0, seed: int = 1) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    people = np.repeat(np.arange(n_people), 20)
    other = rng.random(people.size)
    shift = person_sd * rng.standard_normal(n_people)[people]
    value = slope * other + shift + rng.normal(0, 0.5, people.size)
    return pd.DataFrame({"participant": people.astype(str), "value": value, "other": other})


@pytest.mark.parametrize(("method", "oracle"), [("pearson", stats.pearsonr), ("spearman", stats.spearmanr)])
def test_the_coefficient_is_that_of_all_rows(method: str, oracle: object) -> None:
    rows = ratings(0.8)
    assert estimated(rows, method=method).effect == pytest.approx(oracle(rows["value"], rows["other"])[0])  # type: ignore[operator]


def test_the_interval_is_as_wide_as_fishers_if_answers_are_independent() -> None:
    found = estimated(ratings(0.5, n_people=100))
    assert found.interval is not None
    assert found.interval.high is not None
    assert found.interval.low is not None
    fisher = 2 * 1.96 * (1 - (found.effect or 0) ** 2) / np.sqrt(2000)
    assert found.interval.high - found.interval.low == pytest.approx(fisher, rel=0.2)


def test_people_who_share_a_similarity_widen_the_interval() -> None:
    rng = np.random.default_rng(2)
    people = np.repeat(np.arange(30), 20)
    both = rng.standard_normal((2, 30))[:, people]
    rows = pd.DataFrame({"participant": people.astype(str), "value": both[0], "other": both[1]})
    found = estimated(rows)
    assert found.interval is not None
    assert found.interval.high is not None
    assert found.interval.low is not None
    # 600 rows, but only 30 independent pairs.
    assert found.interval.high - found.interval.low > 0.4
    assert found.p_value is not None
    assert found.p_value > 0.01


def test_chance_is_called_a_relation_about_as_often_as_alpha_says() -> None:
    p_values = [estimated(ratings(0.0, n_people=20, person_sd=0.5, seed=seed)).p_value for seed in range(100)]
    n_found = sum(p is not None and p < 0.05 for p in p_values)
    assert 1 <= n_found <= 12


def test_mean_ratings_by_rank_are_tested_with_as_many_pairs_as_there_are_ranks() -> None:
    ranks = np.tile(np.arange(1, 11), 30)
    means = np.array([3, 2, 5, 1, 8, 4, 10, 6, 7, 9]) / 10
    rows = pd.DataFrame(
        {"participant": np.repeat(np.arange(30), 10).astype(str), "value": means[ranks - 1], "other": ranks}
    )
    expected = stats.spearmanr(np.arange(1, 11), means)
    found = estimated(rows, averaged=True)
    assert found.effect == pytest.approx(expected[0])
    assert found.p_value == pytest.approx(expected[1])
    assert found.df == (8.0,)


@pytest.mark.parametrize(("rho", "p"), [(-0.25, 0.49), (-0.52, 0.12)])
def test_published_p_values_of_ranks_are_those_of_ten_pairs(rho: float, p: float) -> None:
    t = rho * np.sqrt(8 / (1 - rho**2))
    assert 2 * stats.t.sf(abs(t), 8) == pytest.approx(p, abs=0.005)


def test_a_rating_that_never_varies_gives_no_test() -> None:
    found = estimated(ratings(0.0).assign(value=2.0))
    assert (found.effect, found.p_value) == (None, None)
    assert "does not vary" in found.notes[0]
