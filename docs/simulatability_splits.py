"""Trains the classifiers of the simulatability studies over several splits and seeds, into simulatability-splits.json.

`python docs/simulatability_splits.py` trains what the file lacks and takes about two hours of one core; it needs
UNDERSTUDY_DATA. A run that was interrupted continues where it stopped. `docs/simulatability_models.py` writes the tables.
"""

import json
import os
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import torch

from understudy.sources.cases import SplitRule
from understudy.training.cards import cases_of_recipe
from understudy.training.classifiers import accuracy, rows_from_part, trained_classifier
from understudy.training.recipes import classifier_recipe

KEPT = Path(__file__).parent / "simulatability-splits.json"
NAMES = ("polarity-prototypes", "polarity-lstm", "adult-mlp", "adult-prototypes")
FIRST_SPLIT = {"adult": 1, "polarity": 10}
"""The seed of the split that studies use; of Adult it is the published one."""
FIRST_SEED, N_EACH = 10, 5
RULES: tuple[SplitRule, ...] = ("leak_free", "paper")


class SplitRun(NamedTuple):
    """One training run."""

    name: str
    rule: SplitRule
    split_seed: int
    seed: int


def planned_runs() -> Iterator[SplitRun]:
    """Yield every run, the most wanted first.

    The split that studies use comes first, by both rules; then other splits, each with a seed of its own.
    """
    pairs = [(rule, 0) for rule in RULES] + [(rule, number) for rule in RULES for number in range(1, N_EACH)]
    for rule, number in pairs:
        for name in NAMES:
            first = FIRST_SPLIT[classifier_recipe(name).cases]
            yield SplitRun(name, rule, first + number, FIRST_SEED + number)


def trained_row(run: SplitRun, data: Path) -> dict[str, Any]:
    """Train once and return what is to be told of it."""
    recipe = replace(classifier_recipe(run.name), seed=run.seed)
    cases = cases_of_recipe(recipe, data, run.rule, split_seed=run.split_seed)
    started = time.process_time()
    trained = trained_classifier(recipe, cases)
    told = trained.provenance
    return {
        **run._asdict(),
        "best_epoch": told["best_epoch"],
        "first_stage_epoch": told.get("first_stage", {}).get("epoch"),
        **{part: round(accuracy(trained.net, rows_from_part(cases.part(part))), 6) for part in ("validation", "test")},
        "loss_by_epoch": told.get("loss_by_epoch", []),
        "validation_by_epoch": told.get("validation_by_epoch", []),
        "software": told["software"],
        "cpu_seconds": round(time.process_time() - started, 1),
    }


def kept_rows(path: Path = KEPT) -> list[dict[str, Any]]:
    """Return the rows that are there."""
    rows: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else []
    return rows


def run_of(row: dict[str, Any]) -> SplitRun:
    """Return the run of a row."""
    return SplitRun(*(row[name] for name in SplitRun._fields))


def main() -> None:
    """Train what is missing, and write the file after each run."""
    torch.set_num_threads(1)
    for run in planned_runs():
        rows = kept_rows()
        if run in {run_of(row) for row in rows}:
            continue
        rows.append(trained_row(run, Path(os.environ["UNDERSTUDY_DATA"])))
        lines = ",\n".join(json.dumps(row) for row in rows)
        KEPT.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
        sys.stdout.write(f"{run}: validation {rows[-1]['validation']}, {rows[-1]['cpu_seconds']} s\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
