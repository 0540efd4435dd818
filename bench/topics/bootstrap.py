"""Two-way block bootstrap of 30 participants by 32 items, beside data frames and plain loops."""

from collections.abc import Callable

import numpy as np
import pandas as pd

from measured import Bench, Peer, Row, timed
from understudy.statistics.bootstrap import bootstrap_mean

N_PEOPLE, N_ITEMS, N_RESAMPLES, SEED = 30, 32, 10_000, 0
_SHARE_MISSING = 0.08


def answers() -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """Draw changes of 0/1 answers, 8 % of them missing, NaN where they are."""
    rng = np.random.default_rng(SEED)
    chance = rng.normal(0.65, 0.1, (N_PEOPLE, 1)) + rng.normal(0, 0.1, (1, N_ITEMS))
    before, after = rng.random(chance.shape) < chance, rng.random(chance.shape) < chance + 0.06
    change = after.astype(np.float64) - before
    change[rng.random(chance.shape) < _SHARE_MISSING] = np.nan
    return change


def by_frames(n_resamples: int) -> list[float]:
    """Resample blocks of a data frame: take people's rows, then items' rows, then the mean."""
    rng, change = np.random.default_rng(SEED), answers()
    people, items = np.nonzero(~np.isnan(change))
    frame = pd.DataFrame({"person": people, "item": items, "change": change[people, items]})
    of_person = dict(list(frame.groupby("person")))
    means = []
    for _ in range(n_resamples):
        drawn = pd.concat([of_person[person] for person in rng.choice(N_PEOPLE, N_PEOPLE)])
        of_item = dict(list(drawn.groupby("item")))
        both = pd.concat([of_item[item] for item in rng.choice(N_ITEMS, N_ITEMS) if item in of_item])
        means.append(float(both["change"].mean()))
    return means


def by_loops(n_resamples: int) -> list[float]:
    """Resample with plain Python loops over lists."""
    rng, rows = np.random.default_rng(SEED), answers().tolist()
    means = []
    for _ in range(n_resamples):
        people = rng.integers(N_PEOPLE, size=N_PEOPLE).tolist()
        items = rng.integers(N_ITEMS, size=N_ITEMS).tolist()
        total, n = 0.0, 0
        for person in people:
            row = rows[person]
            for item in items:
                value = row[item]
                if value == value:  # NaN alone differs from itself
                    total += value
                    n += 1
        means.append(total / n)
    return means


def _row(what: str, name: str, version: str, resample: Callable[[int], list[float]], n_peer: int) -> Row:
    data = answers()
    ours = timed(lambda: bootstrap_mean(data, rng=np.random.default_rng(SEED)), n_repeats=7)
    theirs = timed(lambda: resample(n_peer), n_repeats=3, n_warm=0)
    found = bootstrap_mean(data, rng=np.random.default_rng(SEED))
    spread = float(np.std(resample(n_peer), ddof=1))
    return Row(
        what=what,
        n=N_RESAMPLES,
        seed=SEED,
        ours=ours,
        peer=Peer(name, version, theirs.best_s * N_RESAMPLES / n_peer, f"scaled from {n_peer:,} resamples"),
        method=f"30 x 32 answers, 8 % missing, percentile limits and both p-values included. Standard error "
        f"{found.standard_error:.4f}, the peer's {spread:.4f}.",
        target="<= 0.05 s",
    )


def beside_frames(is_quick: bool) -> Row:
    """Measure beside pandas."""
    return _row(
        "Two-way bootstrap, beside data frames", "pandas blocks", pd.__version__, by_frames, 20 if is_quick else 100
    )


def beside_loops(is_quick: bool) -> Row:
    """Measure beside plain Python."""
    return _row("Two-way bootstrap, beside loops", "plain Python loops", "", by_loops, 100 if is_quick else 1000)


ROWS = (Bench("frames", beside_frames), Bench("loops", beside_loops))
