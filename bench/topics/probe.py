"""Six paired tests over ten million rows, beside SciPy's one by one and beside one read of the scores."""

import tracemalloc
from itertools import combinations

import numpy as np
import scipy
from scipy import stats

from measured import Bench, Peer, Row, timed
from understudy.probe.paired_tests import PairedSets, paired_sets

SEED = 0
_SHARES = np.array([[0.85], [0.7], [0.79], [0.8]])
PAIRS = tuple(combinations(range(4), 2))
Scores = np.ndarray[tuple[int, int], np.dtype[np.float64 | np.bool_]]


def graded(n: int) -> Scores:
    """Draw scores between 0 and 1 that agree in part from row to row."""
    rng = np.random.default_rng(SEED)
    scores = rng.random((4, n))
    scores *= 0.3
    scores += 0.6 * rng.random(n)
    return scores


def right_or_wrong(n: int) -> Scores:
    """Draw rows of true and false."""
    return np.asarray(np.random.default_rng(SEED).random((4, n)) < _SHARES)


def by_scipy(scores: Scores) -> list[float]:
    """Test pair by pair."""
    return [float(stats.ttest_rel(scores[i], scores[j]).statistic) for i, j in PAIRS]


def t_values(sets: PairedSets) -> list[float]:
    """Return the six t values."""
    return [float(sets.differences[i, j] / (sets.difference_variances[i, j] / sets.n) ** 0.5) for i, j in PAIRS]


def one_read(scores: Scores) -> float:
    """Return the seconds of one read of the scores, the faster of a sum and a product."""
    words = scores.view(np.uint64) if scores.dtype == np.bool_ else scores
    ways = [lambda: [row.sum() for row in words]]
    if words.dtype == np.float64:
        ways.append(lambda: [row @ row for row in words])
    return min(timed(way, n_repeats=7, clock="wall").best_s for way in ways)


def _row(what: str, scores: Scores) -> Row:
    tracemalloc.start()
    found = paired_sets(scores)
    _, grown = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    ours = timed(lambda: paired_sets(scores), n_repeats=7, clock="wall")
    read_s = one_read(scores)
    numbers = scores.astype(np.float64)
    theirs = timed(lambda: by_scipy(numbers), n_repeats=1, clock="wall", n_warm=0)
    apart = max(abs(a - b) / abs(b) for a, b in zip(t_values(found), by_scipy(numbers), strict=True))
    return Row(
        what=what,
        n=scores.shape[1],
        seed=SEED,
        ours=ours,
        peer=Peer("scipy ttest_rel, six times", scipy.__version__, theirs.best_s, "on the scores as numbers"),
        method=f"Four rows of scores, {scores.nbytes / 1e6:.0f} MB. The t values differ by at most {apart:.0e} of their size.",
        reads=f"{ours.best_s / read_s:.1f}x one read of the scores ({read_s * 1e3:.1f} ms); {ours.best_s / scores.shape[1] * 1e9:.1f} ns a "
        f"row; at most {grown / 1e6:.1f} MB beside the scores",
        target="<= 6x one read; at most twice the memory of the scores",
    )


def _size(is_quick: bool) -> int:
    return 10**6 if is_quick else 10**7


def graded_rows(is_quick: bool) -> Row:
    """Measure scores between 0 and 1."""
    return _row("Six paired tests of graded scores", graded(_size(is_quick)))


def fewer_graded_rows(is_quick: bool) -> Row:
    """Measure a tenth of the rows, to show that cost is linear."""
    return _row("Six paired tests of graded scores, a tenth of the rows", graded(_size(is_quick) // 10))


def counted_rows(is_quick: bool) -> Row:
    """Measure rows of true and false."""
    return _row("Six paired tests of right-or-wrong scores", right_or_wrong(_size(is_quick)))


ROWS = (Bench("graded", graded_rows), Bench("graded_tenth", fewer_graded_rows), Bench("counted", counted_rows))
