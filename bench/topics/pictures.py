"""Pictures: preparing a study from large pools, which takes time in proportion and no more memory."""

import json
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from measured import Bench, Row, Timing
from picture_pool import EDGE, Cost

SIZES = (50_000, 100_000, 200_000)
SCRIPT = Path(__file__).parents[1] / "picture_pool.py"


def pool_of(n: int, is_quick: bool) -> Row:
    """Measure preparing ten items, half of them rare, from a pool that must be looked through."""
    n = n // 50 if is_quick else n
    with TemporaryDirectory() as folder:
        # A process of its own, because writing the pool takes memory that preparing does not.
        said = subprocess.run(
            [sys.executable, str(SCRIPT), str(n), folder], check=True, stdout=subprocess.PIPE, text=True
        )
    cost = Cost(**json.loads(said.stdout))
    return Row(
        what=f"prepare from {n:,} pictures", n=n, seed=1, ours=Timing(cost.seconds, cost.seconds, 1, "wall"), peer=None,
        method=f"Pictures of {EDGE} x {EDGE} x 3 in one .npy file; ten are drawn, five of which the model gets wrong, so "
        "that it answers for all of them. Once, with files read for the first time.",
        reads=f"{cost.peak_bytes / 1e6:.0f} MB at most, {cost.n_read:,} pictures read, {cost.n_files} files published",
        target="under 1 GB, linear time, only drawn files",
    )  # fmt: skip


def _run_of(n: int) -> Callable[[bool], Row]:
    return partial(pool_of, n)


ROWS = tuple(Bench(f"{n:,} pictures", _run_of(n), is_slow=n > SIZES[0]) for n in SIZES)
