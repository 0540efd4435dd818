"""Power: how long one simulated study takes, analysis included, with one and with two workers."""

import tempfile
from functools import partial
from pathlib import Path

from joblib.externals.loky import get_reusable_executor

from measured import Bench, Row, timed
from two_groups import two_groups
from understudy.actions.casts import MIXED
from understudy.actions.power import PowerQuestion, power_points
from understudy.schema import Effect

SEED, N_PER_GROUP, N_ITEMS = 5, 50, 12


def simulated(n_workers: int, is_quick: bool) -> Row:
    """Measure one number of workers, after a first small grid has started them."""
    n_simulations = 20 if is_quick else 100
    with tempfile.TemporaryDirectory() as folder:
        question = PowerQuestion(
            study=two_groups(n_items=N_ITEMS, quota=N_PER_GROUP),
            root=Path(folder),
            cast=MIXED,
            sizes=(N_PER_GROUP,),
            effects=(0.5,),
            on=Effect(when={"explanation": "shown"}, shift=0.5),
            n_simulations=n_simulations,
            seed=SEED,
        )
        ours = timed(partial(power_points, question, n_workers=n_workers), n_repeats=3, clock="wall")
        power = power_points(question, n_workers=n_workers)[0].power
    # Idle workers would keep this process alive for five minutes.
    get_reusable_executor().shutdown(wait=True)
    workers = "1 worker" if n_workers == 1 else f"{n_workers} workers"
    return Row(
        what=f"Power of a two-group t-test design, {workers}",
        n=n_simulations,
        seed=SEED,
        ours=ours,
        peer=None,
        method=f"No peer measured. 50 completed people per group, {N_ITEMS} items, the whole flow simulated, "
        f"tabulated and tested; dropouts replaced. Power found: {power:.2f}.",
        reads=f"{ours.best_s / n_simulations:.3f} s per simulated study",
    )


ROWS = tuple(Bench(f"{n_workers} at a time", partial(simulated, n_workers)) for n_workers in (1, 2))
