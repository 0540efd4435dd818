"""Varies the concept test of intensity normalisation one thing at a time, and writes docs/intensity-normalization.md.

`python docs/intensity_variations.py train [VARIATION ...]` trains what docs/intensity-normalization.json lacks (about a
minute of one core for each variation and seed; it needs UNDERSTUDY_DATA); without arguments, it writes the page.
"""

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple


from understudy.datasets import FashionMnist
from understudy.probe import ConceptTest, probe, results_of_runs
from understudy.probe.concepts import IntensityNormalization
from understudy.probe.encodings import Noise
from understudy.probe.trainers import Convolutional, Perceptron
from understudy.roles import Rng, Sample, Trainer

HERE = Path(__file__).parent
KEPT, PAGE = HERE / "intensity-normalization.json", HERE / "intensity-normalization.md"
SEEDS = (0, 1)
N_TRAIN, N_TEST, N_EPOCHS = 2000, 2000, 6


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
    """What differs from the first row."""

    what: str
    trainer: Trainer = Convolutional(n_epochs=N_EPOCHS, device="cpu")
    noise: Noise = "uniform"
    weakest: float = 0.1


VARIATIONS = {
    "base": Variation("the published network, 6 epochs, even noise"),
    "global": Variation(
        "network: the strongest answer of each filter, wherever it is",
        Convolutional(n_epochs=N_EPOCHS, device="cpu", pooling="global"),
    ),
    "perceptron": Variation("network: one hidden layer, no convolution", Perceptron(n_epochs=N_EPOCHS)),
    "epochs-2": Variation("learning time: 2 epochs", Convolutional(n_epochs=2, device="cpu")),
    "epochs-15": Variation("learning time: 15 epochs", Convolutional(n_epochs=15, device="cpu")),
    "adam": Variation(
        "learning: Adam instead of Adadelta", Convolutional(n_epochs=N_EPOCHS, device="cpu", optimizer="adam")
    ),
    "normal": Variation("noise: bell-shaped, with the same mean and spread", noise="normal"),
    "shuffled": Variation("noise: pixels of the pictures themselves, shuffled", noise="shuffled"),
    "empty": Variation("noise: none, the place is black", noise="empty"),
}


def trained_row(name: str, seed: int) -> dict[str, Any]:
    """Train both models of a variation with one seed, and return what the test says."""
    variation = VARIATIONS[name]
    concept = IntensityNormalization(weakest=variation.weakest)
    test = ConceptTest(
        SmallPictures(), concept, variation.trainer, n_train=N_TRAIN, n_test=N_TEST, noise=variation.noise
    )
    verdicts = probe(results_of_runs(test, [seed]))
    return {
        "variation": name,
        "seed": seed,
        "means": {result.id: round(result.mean, 4) for result in verdicts.results},
        "outcomes": "".join(analysis.outcome for analysis in verdicts.analyses),
        "confirmed": [hypothesis.id for hypothesis in verdicts.hypotheses if hypothesis.state == "confirmed"],
    }


def kept_rows() -> list[dict[str, Any]]:
    """Return the rows that are there."""
    rows: list[dict[str, Any]] = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.is_file() else []
    return rows


def train(names: list[str]) -> None:
    """Train what is missing, and write the file after each run."""
    for name in names or list(VARIATIONS):
        for seed in SEEDS:
            rows = kept_rows()
            if (name, seed) not in {(row["variation"], row["seed"]) for row in rows}:
                rows.append(trained_row(name, seed))
                KEPT.write_text("[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n", encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:2] == ["train"]:
        train(sys.argv[2:])
    PAGE.write_text(page(kept_rows()), encoding="utf-8")
