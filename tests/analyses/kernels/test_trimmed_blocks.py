"""Trimmed blocks: as many rows as there were, whole blocks but the last, spread like blocks drawn one by one."""

import numpy as np
import numpy.typing as npt
import pytest

from understudy.statistics.bootstrap import trimmed_sums

PEOPLE = np.repeat(np.arange(6), [8, 8, 4, 8, 8, 4])
ITEMS = np.concatenate([np.arange(n) for n in (8, 8, 4, 8, 8, 4)])
ROWS = np.eye(PEOPLE.size)
Floats = npt.NDArray[np.float64]


def one_by_one(
    blocks: npt.NDArray[np.int64], rows: npt.NDArray[np.int64], rng: np.random.Generator
) -> npt.NDArray[np.int64]:
    """Draw blocks of the given rows one at a time until there are enough, and cut."""
    names = np.unique(blocks[rows])
    drawn: list[int] = []
    while len(drawn) < PEOPLE.size:
        drawn.extend(rows[blocks[rows] == rng.choice(names)])
    return np.array(drawn[: PEOPLE.size])


@pytest.fixture(scope="module")
def counts() -> tuple[Floats, Floats]:
    found = trimmed_sums(PEOPLE, ITEMS, ROWS, rng=np.random.default_rng(0), n_resamples=4000)
    return found.people, found.people_and_items


def test_every_resample_has_as_many_rows_as_there_are(counts: tuple[Floats, Floats]) -> None:
    assert {float(n) for stage in counts for n in stage.sum(axis=1)} == {float(PEOPLE.size)}


def test_people_come_whole_but_for_the_last_one(counts: tuple[Floats, Floats]) -> None:
    uneven = [len(set(row[person == PEOPLE])) > 1 for row in counts[0][:200] for person in range(6)]
    assert np.reshape(uneven, (200, 6)).sum(axis=1).max() <= 1


def test_sums_spread_like_blocks_drawn_one_by_one(counts: tuple[Floats, Floats]) -> None:
    values = np.random.default_rng(1).normal(0, 1, PEOPLE.size) + np.arange(6)[PEOPLE] + np.arange(8)[ITEMS] / 2
    rng = np.random.default_rng(2)
    plain = []
    for _ in range(4000):
        first = one_by_one(PEOPLE, np.arange(PEOPLE.size), rng)
        plain.append([values[first].mean(), values[one_by_one(ITEMS, first, rng)].mean()])
    ours = np.column_stack([stage @ values / PEOPLE.size for stage in counts])
    assert ours.mean(axis=0) == pytest.approx(np.mean(plain, axis=0), abs=0.07)
    assert ours.std(axis=0) == pytest.approx(np.std(plain, axis=0), rel=0.05)


def test_batches_do_not_matter_to_the_shape() -> None:
    found = trimmed_sums(np.arange(900) % 30, np.arange(900) % 31, np.ones((900, 2)), rng=np.random.default_rng(3), n_resamples=5000)  # fmt: skip
    assert found.people_and_items.shape == (5000, 2)


def test_rows_of_other_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="3, 2 and 3 rows"):
        trimmed_sums([1, 2, 3], [1, 2], np.ones((3, 1)), rng=np.random.default_rng(0), n_resamples=5)
