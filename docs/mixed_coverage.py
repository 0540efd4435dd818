"""False positives and coverage of mixed models and other analyses, simulated; writes mixed-coverage.json and its page.

    python docs/mixed_coverage.py run --simulations 1000 --workers 8    # resumes where it stopped
    python docs/mixed_coverage.py run --rows logistic/between "d'"      # some rows only, by the start of their names
    python docs/mixed_coverage.py page                                  # writes mixed-coverage.json and mixed-coverage.md

The numbers need numpy and scipy alone, so that the simulations run on any machine with Python.
"""

import argparse
import json
import multiprocessing
import os
import sys
from pathlib import Path
from typing import Any, NamedTuple

from error_rates.kernels_alone import prepare

prepare()

import numpy as np  # noqa: E402 - the thread limits above must come first

from error_rates import aligned_ranks, bootstrap, mixed, signal_detection  # noqa: E402 - after the limits
from error_rates.page import page  # noqa: E402 - after the limits
from error_rates.row import Row  # noqa: E402 - after the limits

ROWS = {row.key: row for row in (*mixed.rows(), *signal_detection.rows(), *aligned_ranks.rows(), *bootstrap.rows())}


class Case(NamedTuple):
    """One simulated study."""

    row: str
    effect: float
    number: int

    @property
    def key(self) -> str:
        """What tells this study from others in the file of results."""
        return "/".join(map(str, self))


def simulated(case: Case) -> dict[str, Any]:
    """Return what the analysis of one simulated study says."""
    row = ROWS[case.row]
    found = row.simulate(row.rng(case.effect, case.number), case.effect)
    covers = None if np.isnan(found.low) else bool(found.low <= case.effect <= found.high)
    return {"key": case.key, "p": found.p, "effect": found.estimate, "covers": covers, "steps": found.n_steps}


def cases(n: int, rows: list[Row]) -> list[Case]:
    """Return every simulated study, in rounds, so that a run that stops early has some of each."""
    return [Case(row.key, effect, number) for number in range(n) for row in rows for effect in row.effects]


def stored(path: Path) -> list[dict[str, Any]]:
    """Return the results of an earlier run; a last line that was cut off is left out."""
    found = []
    for line in path.read_text().splitlines() if path.exists() else []:
        try:
            found.append(json.loads(line))
        except json.JSONDecodeError:
            continue
    return found


def run(path: Path, wanted: list[Case], workers: int) -> None:
    """Simulate what the file lacks, one line per study."""
    done = {found["key"] for found in stored(path)}
    waiting = [case for case in wanted if case.key not in done]
    sys.stdout.write(f"{len(wanted)} studies, {len(waiting)} to simulate\n")
    with path.open("a") as lines, multiprocessing.Pool(workers) as pool:
        # A run that was killed may have left half a line, which a new line ends.
        lines.write("\n" if done else "")
        for number, found in enumerate(pool.imap_unordered(simulated, waiting, chunksize=4), start=1):
            lines.write(json.dumps(found) + "\n")
            if number % 500 == 0:
                lines.flush()
                sys.stdout.write(f"{number}\n")
                sys.stdout.flush()


def summary(path: Path) -> list[dict[str, Any]]:
    """Return one line of the table for each row that was simulated, in the order of the rows."""
    by_row: dict[str, dict[bool, list[dict[str, Any]]]] = {}
    for found in stored(path):
        key, effect, _ = found["key"].rsplit("/", 2)
        by_row.setdefault(key, {True: [], False: []})[float(effect) == 0].append(found)
    return [_summary(row, by_row[key]) for key, row in ROWS.items() if key in by_row and by_row[key][True]]


def _summary(row: Row, parts: dict[bool, list[dict[str, Any]]]) -> dict[str, Any]:
    null, effect = parts[True], parts[False]
    covered = [found["covers"] for found in effect or null if found["covers"] is not None]
    return {
        "analysis": row.analysis,
        "study": row.study,
        "data": row.data,
        "n": len(null),
        "false_positives": float(np.mean([found["p"] < 0.05 for found in null])),
        "coverage": float(np.mean(covered)) if covered else None,
        "simplified": float(np.mean([found["steps"] > 0 for found in null])),
        "mean_effect": float(np.mean([found["effect"] for found in effect])) if effect else None,
    }


def main() -> None:
    """Simulate, or show what was simulated."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("run", "summary", "page", "rows"))
    parser.add_argument("--simulations", type=int, default=1000)
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--rows", nargs="*", default=[""], help="starts of the names that `rows` lists")
    parser.add_argument("--lines", type=Path, default=Path("mixed-coverage.jsonl"))
    asked = parser.parse_args()
    rows = [row for key, row in ROWS.items() if key.startswith(tuple(asked.rows))]
    if asked.command == "rows" or not rows:
        sys.stdout.write("\n".join(ROWS) + "\n")
        sys.exit(0 if rows else f"No row starts with {' or '.join(asked.rows)}; the rows are listed above.")
    if asked.command == "run":
        run(asked.lines, cases(asked.simulations, rows), asked.workers)
    found = summary(asked.lines)
    for line in found:
        sys.stdout.write(f"{json.dumps(line)}\n")
    if asked.command == "page":
        folder = Path(__file__).parent
        (folder / "mixed-coverage.json").write_text(json.dumps(found, indent=1) + "\n")
        (folder / "mixed-coverage.md").write_text(page(found))


if __name__ == "__main__":
    main()
