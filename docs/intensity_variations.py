"""Varies the concept test of intensity normalisation one thing at a time, and writes docs/intensity-normalization.md.

`python docs/intensity_variations.py train [VARIATION ...]` trains what docs/intensity-normalization.json lacks; it needs
UNDERSTUDY_DATA. A small variation takes about a minute of one core for each seed, a large one up to a minute of a
graphics card. `read FILE.zip` takes the answers of runs made on another machine; without arguments, it writes the page.
"""

import json
import sys
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from intensity_page import page
from understudy.datasets import FashionMnist
from understudy.probe import ConceptTest, probe, results_from_frames, results_of_runs
from understudy.probe.concept_test import Noise
from understudy.probe.concepts import IntensityNormalization
from understudy.probe.results import FourResults
from understudy.probe.trainers import Convolutional, Perceptron
from understudy.roles import Rng, Sample, Trainer
from understudy.schema.probe import SetId

HERE = Path(__file__).parent
KEPT, PAGE = HERE / "intensity-normalization.json", HERE / "intensity-normalization.md"
SEEDS = range(5)
LARGE = "large-"
"""The start of the names of large variations."""
N_SMALL, N_LARGE = (2000, 2000), (40_000, 6666)
"""Pictures to train and to test with; the large numbers are the published ones."""
N_EPOCHS = 6
"""Of small runs; large ones have 50, as published."""
SETS: tuple[SetId, ...] = ("PP", "PD", "MP", "MD")


class SmallPictures(NamedTuple):
    """Fashion-MNIST at half its size, so that one core trains a network in half a minute."""

    whole: FashionMnist = FashionMnist(part="train")

    def draw(self, n: int, rng: Rng) -> Sample:
        """Return n pictures of 14 x 14, each the mean of four pixels."""
        sample = self.whole.draw(n, rng)
        if sample.inputs is None:
            return sample
        pixels = sample.inputs.reshape(-1, 14, 2, 14, 2).mean(axis=(2, 4))
        return replace(sample, inputs=pixels.reshape(len(pixels), -1))


class Variation(NamedTuple):
    """What differs from the first row of its table."""

    trainer: Trainer
    noise: Noise = "uniform"


def _small(**settings: Any) -> Convolutional:
    return Convolutional(**{"n_epochs": N_EPOCHS, "device": "cpu", **settings})


VARIATIONS = {
    "base": Variation(_small()),
    "global": Variation(_small(pooling="global")),
    "epochs-2": Variation(_small(n_epochs=2)),
    "empty": Variation(_small(), "empty"),
    "shuffled": Variation(_small(), "shuffled"),
    "perceptron": Variation(Perceptron(n_epochs=N_EPOCHS)),
    "perceptron-wide": Variation(Perceptron(n_epochs=N_EPOCHS, n_hidden=256)),
    "perceptron-2": Variation(Perceptron(n_epochs=2)),
    "perceptron-30": Variation(Perceptron(n_epochs=30)),
    "perceptron-normal": Variation(Perceptron(n_epochs=N_EPOCHS), "normal"),
    "perceptron-shuffled": Variation(Perceptron(n_epochs=N_EPOCHS), "shuffled"),
    "perceptron-empty": Variation(Perceptron(n_epochs=N_EPOCHS), "empty"),
    "large-base": Variation(Convolutional()),
    "large-global": Variation(Convolutional(pooling="global")),
    "large-adam": Variation(Convolutional(optimizer="adam")),
    "large-epochs-5": Variation(Convolutional(n_epochs=5)),
    "large-epochs-15": Variation(Convolutional(n_epochs=15)),
    "large-normal": Variation(Convolutional(), "normal"),
    "large-shuffled": Variation(Convolutional(), "shuffled"),
    "large-empty": Variation(Convolutional(), "empty"),
    "large-perceptron": Variation(Perceptron()),
    "large-perceptron-wide": Variation(Perceptron(n_hidden=256)),
    "large-perceptron-5": Variation(Perceptron(n_epochs=5)),
    "large-perceptron-50": Variation(Perceptron(n_epochs=50)),
    "large-perceptron-normal": Variation(Perceptron(), "normal"),
    "large-perceptron-shuffled": Variation(Perceptron(), "shuffled"),
    "large-perceptron-empty": Variation(Perceptron(), "empty"),
}


def trained_row(name: str, seed: int) -> dict[str, Any]:
    """Train both models of a variation with one seed, and return what the test says."""
    variation, is_large = VARIATIONS[name], name.startswith(LARGE)
    n_train, n_test = N_LARGE if is_large else N_SMALL
    test = ConceptTest(
        FashionMnist(part="train") if is_large else SmallPictures(), IntensityNormalization(), variation.trainer,
        n_train=n_train, n_test=n_test, noise=variation.noise,
    )  # fmt: skip
    return _row(name, seed, results_of_runs(test, [seed]))


def _row(name: str, seed: int, results: tuple[FourResults, ...]) -> dict[str, Any]:
    verdicts = probe(results)
    return {
        "variation": name,
        "seed": seed,
        "means": {result.id: round(result.mean, 4) for result in verdicts.results},
        "outcomes": "".join(analysis.outcome for analysis in verdicts.analyses),
        "confirmed": [hypothesis.id for hypothesis in verdicts.hypotheses if hypothesis.state == "confirmed"],
    }


def row_from_answers(name: str, seed: int, answers: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the test says about the answers of both models to both kinds of pictures."""
    ids = range(len(answers["truth"]))
    frames = {set_id: pd.DataFrame({"id": ids, "truth": answers["truth"], "label": answers[set_id]}) for set_id in SETS}
    return _row(name, seed, (results_from_frames(frames, name=f"seed-{seed}"),))


def kept_rows() -> list[dict[str, Any]]:
    """Return the rows that are there."""
    rows: list[dict[str, Any]] = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.is_file() else []
    return rows


def _keep(row: dict[str, Any]) -> None:
    """Add a row to the file, or put it in the place of an older one."""
    rows = {(held["variation"], held["seed"]): held for held in kept_rows()} | {(row["variation"], row["seed"]): row}
    ordered = sorted(rows.values(), key=lambda held: (list(VARIATIONS).index(held["variation"]), held["seed"]))
    KEPT.write_text("[\n" + ",\n".join(json.dumps(held) for held in ordered) + "\n]\n", encoding="utf-8")


def train(names: list[str]) -> None:
    """Train what is missing, and write the file after each run."""
    for seed in SEEDS:
        for name in names or list(VARIATIONS):
            if (name, seed) not in {(row["variation"], row["seed"]) for row in kept_rows()}:
                _keep(trained_row(name, seed))


def read(path: Path) -> None:
    """Take the answers of runs that were made elsewhere: VARIATION-SEED.npz in a zip."""
    with zipfile.ZipFile(path) as box:
        for inner in box.namelist():
            name, _, seed = Path(inner).stem.rpartition("-")
            with box.open(inner) as file:
                _keep(row_from_answers(name, int(seed), np.load(file)))


if __name__ == "__main__":
    if sys.argv[1:2] == ["train"]:
        train(sys.argv[2:])
    if sys.argv[1:2] == ["read"]:
        read(Path(sys.argv[2]))
    PAGE.write_text(page(kept_rows()), encoding="utf-8")
