"""Rehearsal: simulated people through a 30-trial study, streamed into tables, read and estimated."""

import resource
import tempfile
from functools import partial
from pathlib import Path

from measured import Bench, Row, Timing, timed
from two_groups import script_of, two_groups
from understudy.actions.casts import MIXED
from understudy.conduct import Script
from understudy.estimate.study_findings import study_results
from understudy.estimate.tables import TableFiles, read_tables, write_tables
from understudy.simulate import rehearse

SEED, N_TRIALS = 3, 30


def rehearsed(n_people: int, _is_quick: bool) -> Row:
    """Measure one size; the process does nothing else, so its peak memory belongs to this size."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        script = script_of(two_groups(n_items=N_TRIALS, quota=n_people), folder)
        before_mib = _peak_mib()
        writing = timed(partial(_write, script, folder, n_people), n_repeats=1, n_warm=0, clock="wall")
        written_mib = _peak_mib()
        reading = timed(partial(_estimate, script, folder), n_repeats=1, n_warm=0, clock="wall")
    seconds = writing.best_s + reading.best_s
    return Row(
        what=f"Rehearsal of a 30-trial study, {n_people:,} people",
        n=n_people,
        seed=SEED,
        ours=Timing(seconds, seconds, 1, "wall"),
        peer=None,
        method=f"No peer measured. {writing.best_s:.1f} s to "
        f"simulate and stream into tables, {reading.best_s:.1f} s to read and estimate.",
        reads=f"{1000 * seconds / n_people:.2f} s per 1,000 people; peak memory {before_mib:.0f} MiB before, "
        f"{written_mib:.0f} MiB after the tables were written, {_peak_mib():.0f} MiB after they were read and estimated",
        target="linear time, bounded memory while streaming",
    )


def _write(script: Script, folder: Path, n_people: int) -> None:
    write_tables(script, rehearse(script, MIXED, seed=SEED, n_people=n_people), folder / "tables")


def _estimate(script: Script, folder: Path) -> None:
    tables = folder / "tables"
    frames = read_tables(TableFiles(tables / "trials.parquet", tables / "sessions.parquet", 0))
    study_results(script, frames)


def _peak_mib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


ROWS = tuple(
    Bench(f"{n_people:,} people", partial(rehearsed, n_people), is_slow=n_people > 10_000)
    for n_people in (1_000, 10_000, 100_000)
)
