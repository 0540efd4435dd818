"""Order statistics of all pairs are exact, also where all pairs would not fit into memory."""

import tracemalloc

import numpy as np
import pytest

from understudy.statistics import hodges_lehmann
from understudy.statistics.arrays import Floats
from understudy.statistics.hodges_lehmann import SortedRows, pairwise_differences, walsh_averages
from understudy.statistics.ranks import rank_sum_test


def drawn(kind: str, n: int, seed: int) -> Floats:
    rng = np.random.default_rng(seed)
    values: dict[str, Floats] = {
        "normal": rng.normal(size=n),
        "ties": rng.integers(0, 4, n).astype(float),
        "equal": np.ones(n),
        "far apart": rng.standard_cauchy(n) ** 3,
        "rounded": 1e16 + rng.integers(0, 50, n).astype(float),
    }
    return values[kind]


KINDS = ("normal", "ties", "equal", "far apart", "rounded")


@pytest.fixture
def small_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hodges_lehmann, "_AT_ONCE", 50)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.usefixtures("small_memory")
def test_differences_are_selected_exactly(kind: str) -> None:
    x, y = drawn(kind, 41, 1), drawn(kind, 30, 2)
    candidates = pairwise_differences(x, y)
    assert isinstance(candidates, SortedRows)
    every = np.sort(np.subtract.outer(x, y).ravel())
    assert [candidates.at(rank) for rank in range(0, 1230, 41)] == every[::41].tolist()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.usefixtures("small_memory")
def test_averages_are_selected_exactly(kind: str) -> None:
    x = drawn(kind, 40, 3)
    every = np.sort([(x[i] + x[j]) / 2 for i in range(40) for j in range(i, 40)])
    candidates = walsh_averages(x)
    assert [candidates.at(rank) for rank in range(0, 820, 20)] == every[::20].tolist()


def test_the_shift_does_not_depend_on_how_it_is_selected(monkeypatch: pytest.MonkeyPatch) -> None:
    x, y = drawn("normal", 60, 5), drawn("normal", 50, 6)
    at_once = rank_sum_test(x, y).shift
    monkeypatch.setattr(hodges_lehmann, "_AT_ONCE", 20)
    assert rank_sum_test(x, y).shift == at_once


@pytest.mark.slow
def test_a_million_against_a_million_needs_bounded_memory() -> None:
    x, y = drawn("normal", 1_000_000, 7) + 0.25, drawn("normal", 1_000_000, 8)
    tracemalloc.start()
    shift = rank_sum_test(x, y).shift
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1_000_000_000
    assert shift.interval.low < 0.25 < shift.interval.high
    assert shift.interval.high - shift.interval.low < 0.01
