"""Figures of pages with committed results, each with the code that computes it again and how far apart the two may be.

Where the whole computation takes hours, a part of it is computed: fewer items, people or studies. The tolerance is then
what that part can tell, and says so.
"""

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

import torch

from understudy.actions.part_evidence import evidence_agreement
from understudy.inference import shipped_decoder
from understudy.protocols import ross2021_synthetic
from understudy.protocols.ross2021.calibration import person_from
from understudy.protocols.ross2021.calibration_rows import Calibration, cell_scores, one_cell
from understudy.sources.income import income_cases
from understudy.training.classifiers import accuracy, rows_from_part, trained_classifier
from understudy.training.decoders import material_from_recipe, shortened
from understudy.training.flow_nets import Flow, FlowShape
from understudy.training.recipes import classifier_recipe, decoder_recipe, flow_recipe
from understudy.worlds.creature_sets import CreatureSet, creatures_of

DOCS = Path(__file__).parents[2] / "docs"
SHIPPED = DOCS.parent / "src" / "understudy" / "inference" / "shipped"
DATA = Path(os.environ.get("UNDERSTUDY_DATA", ""))


class CommittedFigure(NamedTuple):
    """A number in a committed file."""

    file: Path
    field: tuple[str, ...]
    """The names that lead to it, from the record that holds it."""
    where: Mapping[str, Any]
    """What else that record says, to find it by."""

    def value(self) -> float:
        """Read the number."""
        holder = self._holder(json.loads(self.file.read_text(encoding="utf-8")))
        return float(holder[self.field[-1]])

    def falsified(self, file: Path, change: float) -> "CommittedFigure":
        """Write a copy of the file with the number changed, and return the figure in it."""
        content = json.loads(self.file.read_text(encoding="utf-8"))
        self._holder(content)[self.field[-1]] += change
        file.write_text(json.dumps(content), encoding="utf-8")
        return self._replace(file=file)

    def _holder(self, content: Any) -> dict[str, Any]:
        record = next(_records(content, self.where), None)
        assert record is not None, f"{self.file.name} has no record with {dict(self.where)}"
        for name in self.field[:-1]:
            record = record[name]
        return record


class Recomputation(NamedTuple):
    """A committed figure and what computes it again."""

    page: str
    committed: CommittedFigure
    compute: Callable[[], float]
    tolerance: float
    reason: str
    """Why the tolerance is what it is."""
    needs: str = ""
    """A folder of the data folder."""

    def fault(self, committed: CommittedFigure | None = None) -> str | None:
        """Say how far apart the committed and the computed number are, if that is too far."""
        kept, computed = (committed or self.committed).value(), self.compute()
        if abs(kept - computed) <= self.tolerance:
            return None
        return f"{self.page}: {kept} is committed, {computed} is computed; allowed is {self.tolerance} ({self.reason})."


def _records(content: Any, where: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield every record, however deep, that says all of this."""
    if isinstance(content, dict):
        if all(content.get(name) == value for name, value in where.items()):
            yield content
        content = list(content.values())
    if isinstance(content, list):
        for part in content:
            yield from _records(part, where)


def _script(name: str) -> Any:
    """Import a script of the documentation."""
    if str(DOCS) not in sys.path:
        sys.path.insert(0, str(DOCS))
    return import_module(name)


@cache
def income_accuracy(name: str) -> float:
    """Train a classifier of generated cases and test it."""
    trained = trained_classifier(classifier_recipe(name), income_cases())
    return accuracy(trained.net, rows_from_part(income_cases().test))


@cache
def adult_accuracy() -> float:
    """Train the tabular classifier on its first split."""
    script = _script("simulatability_splits")
    return float(script.trained_row(script.SplitRun("adult-mlp", "leak_free", 1, 10), DATA)["test"])


@cache
def sprite_error() -> float:
    """Decode true factors of held-out sprites and compare with their pictures."""
    material = shortened(material_from_recipe(decoder_recipe("dsprites-gt"), torch.device("cpu")), 2000)
    pictures, factors = material.source.batch(material.held_out)
    decoded = shipped_decoder("dsprites-gt").decode(factors.numpy().astype("float64"))
    return float(((decoded.reshape(len(pictures), -1) - pictures.numpy()) ** 2).sum(axis=1).mean())


@cache
def intensity_mean() -> float:
    """Run the variation with one hidden layer."""
    return float(_script("intensity_variations").trained_row("perceptron", 0)["means"]["PP"])


@cache
def concept_mean() -> float:
    """Run the small rotation test."""
    return float(_script("concept_results").small_run()["means"]["PP"])


@cache
def part_correlation() -> float:
    """Compare maps with part importance on some of the creatures."""
    creatures = creatures_of(CreatureSet(n=200, seed=1, part="test"))[:24]
    return float(evidence_agreement("shipped:kim2022/gradcam", creatures, n_shuffled=0).maps.correlation)


@cache
def background_prototypes() -> float:
    """Draw the creatures of a tree's prototypes again, and return the share that lies on the background."""
    rows = {row["method"]: row["share"] for row in _script("prototype_places").measured()}
    return float(rows["prototree"])


@cache
def mixed_effect() -> float:
    """Simulate some studies with an effect and average the estimates."""
    row = next(row for row in _script("error_rates.mixed").rows() if (row.study, row.data) == ("within", "maximal"))
    return fmean(row.simulate(row.rng(row.effects[1], number), row.effects[1]).estimate for number in range(40))


@cache
def inn_parameters() -> float:
    """Build the invertible network and count its parameters, in millions."""
    recipe = flow_recipe("sixt2022/inn-64")
    shape = FlowShape(n_pixels=recipe.n_pixels, n_steps=recipe.n_steps, widths=recipe.widths)
    return sum(weights.numel() for weights in Flow(shape, torch.Generator().manual_seed(0)).parameters()) / 1e6


@cache
def line_completion(page: str, strategy: str) -> float:
    """Play a fitted strategy on the Sinelines with the first seeds of a calibration page."""
    kept = Calibration.model_validate_json((DOCS / f"{page}.json").read_text(encoding="utf-8"))
    fit = next(fit for fit in kept.fits if fit.strategy == strategy)
    person, n_people = person_from(fit.strategy, fit.parameters), kept.n_people["sinelines"]
    return fmean(
        score.completion
        for seed in kept.seeds[:5]
        for score in cell_scores(
            one_cell(ross2021_synthetic(seed=seed), "sinelines-interactive", quota=n_people),
            person,
            n_people=n_people,
            seed=seed,
        )
        if score.model == "gt"
    )


def _kept(name: str, /, *field: str, **where: Any) -> CommittedFigure:
    return CommittedFigure(DOCS / f"{name}.json", field, where)


SAME_SEED = "the same seed, but other software rounds otherwise"
RECOMPUTATIONS = {
    "income-mlp": Recomputation(
        "simulatability-models.md",
        _kept("simulatability-models", "accuracy", "test", name="income-mlp"),
        lambda: income_accuracy("income-mlp"), 0.01, SAME_SEED,
    ),
    "income-prototypes": Recomputation(
        "simulatability-models.md",
        _kept("simulatability-models", "accuracy", "test", name="income-prototypes"),
        lambda: income_accuracy("income-prototypes"), 0.01, SAME_SEED,
    ),
    "adult-mlp": Recomputation(
        "simulatability-models.md",
        _kept("simulatability-splits", "test", name="adult-mlp", rule="leak_free", split_seed=1, seed=10),
        adult_accuracy, 0.01, SAME_SEED, needs="adult",
    ),
    "dsprites-gt": Recomputation(
        "trained-models.md",
        CommittedFigure(SHIPPED / "dsprites-gt.json", ("scores", "held_out_squared_error"), {"kind": "decoder"}),
        sprite_error, 0.4, "2,000 of 73,728 held-out pictures",
    ),
    "intensity": Recomputation(
        "intensity-normalization.md",
        _kept("intensity-normalization", "means", "PP", variation="perceptron", seed=0),
        intensity_mean, 0.01, SAME_SEED, needs="fashion-mnist",
    ),
    "rotation": Recomputation(
        "concept-results.md", _kept("concept-results", "means", "PP", seed="small"), concept_mean, 0.01, SAME_SEED,
    ),
    "parts": Recomputation(
        "hive-models.md", _kept("hive-parts", "correlation", method="gradcam"), part_correlation, 0.15,
        "24 of 200 creatures",
    ),
    "prototypes": Recomputation(
        "hive-models.md", _kept("hive-prototypes", "share", method="prototree"), background_prototypes, 0.01, SAME_SEED,
    ),
    "inn": Recomputation(
        "invertible-network.md", _kept("invertible-network", "millions_of_parameters", pixels=64), inn_parameters, 1e-6,
        "no chance in it; everything else on the page took a graphics card",
    ),
    "mixed": Recomputation(
        "mixed-coverage.md",
        _kept("mixed-coverage", "mean_effect", analysis="linear", study="within", data="maximal"),
        mixed_effect, 0.1, "40 of 1,000 studies",
    ),
    "matcher": Recomputation(
        "calibration.md",
        _kept("calibration", "completion", strategy="dial_features_matcher", data="sinelines", model="gt"),
        lambda: line_completion("calibration", "dial_features_matcher"), 0.15, "5 of 20 seeds",
    ),
    "digits": Recomputation(
        "calibration-digits.md",
        _kept("calibration-digits", "completion", strategy="dial_random", data="sinelines", model="gt"),
        lambda: line_completion("calibration-digits", "dial_random"), 0.1, "5 of the seeds; the digits need decoders that are not shipped",
    ),
}  # fmt: skip
"""At least one figure of every page with committed results; pages of long runs on a graphics card say what is left out."""
